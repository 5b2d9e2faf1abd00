import { Canvas, type Colour } from './canvas.ts';
import { hills, paintBars, paintBolt, paintCar, paintFace, paintSea, paintWriting, street } from './scenery.ts';
import { seededRandom } from '@vouch/platform/process/seededRandom';
import type { SoundDesk } from './soundDesk.ts';

/** An event that a preview should show. */
export interface ClipEvent {
  /** Time since the start of the scene or, in a finished clip, of the clip; seconds. */
  at: number;
  what: string;
}

type Paint = (canvas: Canvas, time: number) => void;

export interface Scene {
  name: string;
  seconds: number;
  events: readonly ClipEvent[];
  /**
   * Adds the scene's sounds to the desk from `start` (seconds) on, and returns the function that paints a picture of the
   * scene.
   */
  prepare(desk: SoundDesk, start: number, size: { width: number; height: number }): Paint;
}

const baker = { wall: [150, 122, 96], hair: [70, 44, 28], coat: [240, 238, 230] } as const;
const day = { sky: [[120, 170, 220], [214, 226, 232]], water: [28, 78, 116], waves: [[150, 196, 214], [58, 118, 156]] } as const;
const dark = { sky: [[6, 8, 26], [26, 24, 54]], water: [8, 14, 34], waves: [[70, 76, 110], [24, 32, 62]] } as const;
const sailor = { wall: [120, 150, 168], hair: [196, 190, 180], coat: [30, 50, 96] } as const;

const bars: Scene = {
  name: 'colour bars', seconds: 3, events: [],
  prepare(desk, start) {
    desk.hum(start, 3, 1000, 0.12);
    return paintBars;
  },
};

const title: Scene = {
  name: 'title', seconds: 3, events: [],
  prepare: () => (canvas) => {
    canvas.cover([12, 12, 16]);
    paintWriting(canvas, 66, 1, 16, 5);
    paintWriting(canvas, 110, 1, 8, 6);
  },
};

const morning: Scene = {
  name: 'the camera turns over hills', seconds: 8, events: [],
  prepare(desk, start, { width, height }) {
    desk.rush(start, 8, 0.12, (time) => 0.5 + 0.3 * Math.sin(time), 41);
    const wide = hills(width * 2, height);
    return (canvas, time) => canvas.copy(wide, time * 22);
  },
};

const race: Scene = {
  name: 'a race car passes', seconds: 8, events: [{ at: 4.2, what: 'a race car with a roaring engine' }],
  prepare(desk, start, { width, height }) {
    desk.rush(start, 8, 0.08, () => 0.4, 42);
    desk.add(start + 3, 2.6, (time) => {
      const near = Math.exp(-(((time - 1.2) / 0.5) ** 2));
      const hertz = 190 - 60 * Math.tanh((time - 1.2) * 3);
      return 0.9 * near * Math.sign(Math.sin(2 * Math.PI * hertz * time)) * (0.7 + 0.3 * Math.sin(2 * Math.PI * 31 * time));
    });
    const town = street(width, height, false);
    return (canvas, time) => {
      canvas.copy(town, 0);
      paintCar(canvas, 40 + 6 * time, height * 0.74, 11, [60, 110, 70]);
      paintCar(canvas, (time - 3.3) * 210, height * 0.84, 16, [214, 34, 30]);
    };
  },
};

function talk(name: string, seconds: number, seed: number, look: { wall: Colour; hair: Colour; coat: Colour }): Scene {
  return {
    name, seconds, events: [],
    prepare(desk, start) {
      const mouth = desk.talk(start, seconds, 0.16, seed);
      return (canvas, time) => paintFace(canvas, 2 * Math.sin(time * 1.7) + mouth(time), mouth(time), look);
    },
  };
}

const sea: Scene = {
  name: 'waves, always the same', seconds: 9, events: [],
  prepare(desk, start) {
    desk.rush(start, 9, 0.3, (time) => 0.5 + 0.3 * Math.sin(time * 1.3), 43);
    return (canvas, time) => paintSea(canvas, time, day);
  },
};

const game: Scene = {
  name: 'a ball game', seconds: 8, events: [{ at: 3.5, what: 'a volley of fast shots' }],
  prepare(desk, start, { height }) {
    const blows = [1.2, 2.6, 3.2, 3.5, 3.8, 4.1, 4.4, 5.6, 6.9];
    for (const [index, at] of blows.entries()) desk.bang(start + at, at > 3 && at < 5 ? 0.9 : 0.4, 0.25, 110, 50 + index);
    return (canvas, time) => {
      canvas.gradient(0, height, [96, 160, 90], [60, 124, 60]);
      canvas.rectangle(canvas.width / 2 - 1, 30, 3, height, [240, 240, 240]);
      const next = blows.findIndex((at) => at > time);
      const [from, to] = [next <= 0 ? 0 : blows[next - 1]!, next === -1 ? 8 : blows[next]!];
      const share = (time - from) / (to - from);
      const leftwards = (next === -1 ? blows.length : next) % 2 === 0;
      const x = 50 + 220 * (leftwards ? 1 - share : share);
      for (const [index, player] of [40, 280].entries()) {
        const reach = (index === 0) === leftwards ? 12 * share : 0;
        canvas.ellipse(player, 92 - reach, 8, 9, [224, 172, 138]);
        canvas.rectangle(player - 9, 100 - reach, 18, 34, index === 0 ? [200, 60, 50] : [50, 70, 190]);
        canvas.rectangle(player - 8, 134 - reach, 6, 26, [40, 40, 60]);
        canvas.rectangle(player + 2, 134 - reach, 6, 26, [40, 40, 60]);
      }
      canvas.ellipse(x, 110 - 70 * Math.sin(Math.PI * share), 6, 6, [250, 240, 120]);
    };
  },
};

const storm: Scene = {
  name: 'rain, then lightning', seconds: 8, events: [{ at: 4, what: 'lightning and thunder' }],
  prepare(desk, start, { width, height }) {
    desk.rush(start, 8, 0.16, () => 0.7, 44);
    desk.bang(start + 4.05, 1.4, 2.4, 60, 45);
    const random = seededRandom(46).uniform;
    const drops = Array.from({ length: 90 }, () => ({ x: random() * width, y: random() * height, speed: 220 + 120 * random() }));
    return (canvas, time) => {
      const flash = time >= 4 && time < 4.5 ? Math.abs(Math.cos((time - 4) * 14)) * (1 - (time - 4) * 1.4) : 0;
      canvas.gradient(0, height * 0.7, [34 + 200 * flash, 38 + 200 * flash, 56 + 190 * flash], [60 + 150 * flash, 64 + 150 * flash, 78 + 140 * flash]);
      canvas.rectangle(0, height * 0.7, width, height, [32, 44, 40]);
      for (const { x, y, speed } of drops) canvas.rectangle((x + 20 * time) % width, (y + speed * time) % height, 1, 8, [120, 132, 150]);
      if (flash > 0.25) paintBolt(canvas, 196);
    };
  },
};

const night: Scene = {
  name: 'a street at night where nothing happens', seconds: 7, events: [],
  prepare(desk, start, { width, height }) {
    desk.hum(start, 7, 55, 0.04);
    const town = street(width, height, true);
    return (canvas, time) => {
      canvas.copy(town, 0);
      canvas.ellipse(262, 30, 14, 14, [236, 232, 208]);
      paintCar(canvas, 30 + time, height * 0.78, 10, [70, 70, 90]);
    };
  },
};

const fireworks: Scene = {
  name: 'fireworks over the sea', seconds: 9,
  events: [{ at: 1.6, what: 'the first rocket' }, { at: 5, what: 'three rockets at once' }],
  prepare(desk, start) {
    const random = seededRandom(47).uniform;
    const rockets = [1.6, 3.2, 4.8, 5, 5.2, 7].map((at) => ({
      at, x: 60 + 200 * random(), y: 26 + 40 * random(),
      colour: [130 + 125 * random(), 90 + 165 * random(), 90 + 165 * random()] as Colour,
      sparks: Array.from({ length: 40 }, () => ({ angle: 6.283 * random(), speed: 18 + 32 * random() })),
    }));
    for (const [index, { at }] of rockets.entries()) desk.bang(start + at, 0.9, 0.9, 80, 60 + index);
    desk.rush(start, 9, 0.06, () => 0.5, 48);
    return (canvas, time) => {
      paintSea(canvas, time * 0.4, dark);
      for (const { at, x, y, colour, sparks } of rockets) {
        const age = time - at;
        if (age < -0.8 || age > 1.8) continue;
        if (age < 0) canvas.rectangle(x, y - age * 90, 2, 6, [255, 230, 160]);
        else for (const { angle, speed } of sparks) {
          const fade = 1 - age / 1.8;
          const far = speed * (1 - Math.exp(-2 * age));
          canvas.rectangle(x + far * Math.cos(angle), y + far * Math.sin(angle) + 10 * age * age, 3, 3, [colour[0] * fade, colour[1] * fade, colour[2] * fade]);
        }
      }
    };
  },
};

const credits: Scene = {
  name: 'credits', seconds: 5, events: [],
  prepare: (_desk, _start, { height }) => (canvas, time) => {
    canvas.cover([10, 10, 12]);
    paintWriting(canvas, height * 0.8 - time * 26, 14, 8, 7);
  },
};

/** The scenes of the sample clip, in order. */
export const scenes: readonly Scene[] = [
  bars, title, morning, race, talk('the baker talks', 8, 71, baker), sea, game, night, talk('the sailor talks', 7, 83, sailor), storm,
  fireworks, credits,
];
