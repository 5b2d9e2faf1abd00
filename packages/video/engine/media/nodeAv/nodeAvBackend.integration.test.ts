import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describeMediaBackend } from '../../testing/mediaSuite/describeMediaBackend.ts';
import { openNodeAv } from './nodeAvBackend.ts';

const { timers } = systemInterfaces;

describeMediaBackend('the FFmpeg libraries from npm', (limits) => openNodeAv({ limits, timers }));
