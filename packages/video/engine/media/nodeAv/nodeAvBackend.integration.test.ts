import { realDoors } from '@vouch/platform/process/doors';
import { describeMediaBackend } from '../../testing/mediaSuite/describeMediaBackend.ts';
import { openNodeAv } from './nodeAvBackend.ts';

const { timers } = realDoors;

describeMediaBackend('the FFmpeg libraries from npm', (limits) => openNodeAv({ limits, timers }));
