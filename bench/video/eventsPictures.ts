import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { framesPerSecond, type Scene, type Script } from './eventsScript.ts';

interface Canvas {
  width: number;
  height: number;
  luma: Uint8Array;
  u: Uint8Array;
  v: Uint8Array;
}

/** Yields the pictures of a script in order: yuv420p, plane after plane, each picture in a separate buffer. */
export function* drawPictures(script: Script, width: number, height: number): Generator<Uint8Array> {
  const painter = new Painter(script.seed, width, height);
  for (const scene of script.scenes) {
    const first = Math.round(scene.start * framesPerSecond);
    const end = Math.round(scene.end * framesPerSecond);
    for (let frame = first; frame < end; frame++) yield painter.paint(scene, frame);
  }
}

class Painter {
  private readonly width: number;
  private readonly height: number;
  private readonly places = new Map<number, Place>();
  private readonly noise: Int8Array;
  private readonly seed: number;

  constructor(seed: number, width: number, height: number) {
    this.seed = seed;
    this.width = width;
    this.height = height;
    const random = seededRandom(seed + 1);
    // Camera grain with a standard deviation of about 1.5 grey values.
    this.noise = Int8Array.from({ length: 65_537 }, () => Math.round(1.5 * random.normal()));
  }

  paint(scene: Scene, frame: number): Uint8Array {
    const { width, height } = this;
    const data = new Uint8Array((width * height * 3) / 2);
    const pixels = width * height;
    const canvas: Canvas = { width, height, luma: data.subarray(0, pixels), u: data.subarray(pixels, pixels * 1.25), v: data.subarray(pixels * 1.25) };
    canvas.u.fill(128);
    canvas.v.fill(128);
    const time = frame / framesPerSecond;
    switch (scene.kind) {
      case 'black':
        canvas.luma.fill(16);
        return data;
      case 'bars':
        paintBars(canvas);
        return data;
      case 'title':
        paintText(canvas, scene.start, 0, 4);
        return data;
      case 'credits':
        paintText(canvas, scene.start, (time - scene.start) * 0.14 * height - height, 40);
        return data;
      case 'water':
        paintWater(canvas, time);
        break;
      default:
        this.paintHome(canvas, scene, time);
    }
    this.addNoise(canvas, frame);
    return data;
  }

  private paintHome(canvas: Canvas, scene: Scene, time: number): void {
    const local = time - scene.start;
    const shift = scene.style === 'pan' ? Math.round(local * 0.035 * canvas.width) : 0;
    this.placeOf(scene.place).paint(canvas, shift);
    if (scene.walker !== null && time >= scene.walker && time < scene.walker + 5) {
      paintDisc(canvas, -0.1 + 0.24 * (time - scene.walker), 0.72, 0.09, 70, 118, 140);
    }
    if (scene.style === 'talk') {
      paintDisc(canvas, 0.5 + 0.006 * Math.sin(time * 2.1), 0.5, 0.3, 160, 112, 150);
      const speaks = scene.words.some((word) => time >= word.start && time < word.end);
      if (speaks) paintDisc(canvas, 0.5, 0.62, 0.035 + 0.03 * Math.abs(Math.sin(time * 13)), 60, 120, 160);
    }
    const { event } = scene;
    if (event !== null && event.kind !== 'sound' && time >= event.start && time < event.end) {
      const phase = time - event.start;
      const size = 0.22 + 0.12 * event.strength;
      paintDisc(canvas, 0.5 + 0.45 * Math.sin(phase * 5.1 * event.strength + 1), 0.5 + 0.3 * Math.cos(phase * 7.3 * event.strength), size, 225, 90, 190);
      paintDisc(canvas, 0.5 + 0.45 * Math.cos(phase * 4.3 * event.strength), 0.5 + 0.3 * Math.sin(phase * 6.1 + 2), size * 0.7, 40, 150, 90);
    }
  }

  private placeOf(place: number): Place {
    const known = this.places.get(place);
    if (known !== undefined) return known;
    const made = new Place(this.seed * 31 + place, this.width, this.height);
    this.places.set(place, made);
    return made;
  }

  private addNoise({ luma }: Canvas, frame: number): void {
    let at = (frame * 7919) % this.noise.length;
    for (let index = 0; index < luma.length; index++) {
      luma[index] = Math.min(235, Math.max(16, luma[index]! + this.noise[at]!));
      if (++at === this.noise.length) at = 0;
    }
  }
}

/** A wide background with smooth texture, furniture and a distinct colour. */
class Place {
  private readonly wide: number;
  private readonly luma: Uint8Array;
  private readonly colours: [number, number];

  constructor(seed: number, width: number, height: number) {
    const random = seededRandom(seed);
    this.wide = width * 2;
    this.colours = [108 + random.below(40), 108 + random.below(40)];
    this.luma = new Uint8Array(this.wide * height);
    const waves = Array.from({ length: 6 }, () => ({ x: random.below(7) + 1, y: random.below(5), phase: 6.3 * random.uniform(), size: 6 + random.below(12) }));
    const base = 70 + random.below(80);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < this.wide; x++) {
        let value = base;
        for (const wave of waves) value += wave.size * Math.sin((wave.x * 6.283 * x) / this.wide + (wave.y * 6.283 * y) / height + wave.phase);
        this.luma[y * this.wide + x] = Math.min(230, Math.max(20, value));
      }
    }
    for (let item = 0; item < 12; item++) {
      const left = random.below(this.wide);
      const top = random.below(height);
      const grey = 30 + random.below(190);
      for (let y = top; y < Math.min(height, top + height * 0.3); y++) {
        for (let x = left; x < Math.min(this.wide, left + width * 0.14); x++) this.luma[y * this.wide + x] = grey;
      }
    }
  }

  paint({ width, height, luma, u, v }: Canvas, shift: number): void {
    // Pans back and forth, so that a long pan stays within the background.
    const turn = shift % (2 * width);
    const from = turn <= width ? turn : 2 * width - turn;
    for (let y = 0; y < height; y++) luma.set(this.luma.subarray(y * this.wide + from, y * this.wide + from + width), y * width);
    u.fill(this.colours[0]);
    v.fill(this.colours[1]);
  }
}

/** Draws a disc. Position and radius are fractions of the width and height. */
function paintDisc({ width, height, luma, u, v }: Canvas, x: number, y: number, radius: number, grey: number, blue: number, red: number): void {
  const size = radius * height;
  const [left, top] = [x * width, y * height];
  for (let row = Math.max(0, Math.floor(top - size)); row <= Math.min(height - 1, top + size); row++) {
    for (let column = Math.max(0, Math.floor(left - size)); column <= Math.min(width - 1, left + size); column++) {
      if ((column - left) ** 2 + (row - top) ** 2 > size * size) continue;
      luma[row * width + column] = grey;
      const chroma = (row >> 1) * (width >> 1) + (column >> 1);
      u[chroma] = blue;
      v[chroma] = red;
    }
  }
}

function paintWater({ width, height, luma, u, v }: Canvas, time: number): void {
  for (let y = 0; y < height; y++) {
    const a = 26 * (y / height) + time * 4.1;
    for (let x = 0; x < width; x++) {
      const place = (x / width) * 19;
      luma[y * width + x] = 110 + 34 * Math.sin(place + a) * Math.cos(0.7 * place - time * 5.3 + y * 0.11) + 18 * Math.sin(3.1 * place + time * 9);
    }
  }
  u.fill(150);
  v.fill(108);
}

/** Colour bars: white, yellow, cyan, green, magenta, red, blue at 75 %. */
const bars: readonly (readonly [number, number, number])[] = [
  [180, 128, 128], [162, 44, 142], [131, 156, 44], [112, 72, 58], [84, 184, 198], [65, 100, 212], [35, 212, 114],
];

function paintBars({ width, height, luma, u, v }: Canvas): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [grey, blue, red] = bars[Math.floor((x * bars.length) / width)]!;
      luma[y * width + x] = grey;
      const chroma = (y >> 1) * (width >> 1) + (x >> 1);
      u[chroma] = blue;
      v[chroma] = red;
    }
  }
}

/** Draws rows of letters, white on black, scrolled upwards. Letters are small bars that differ from row to row. */
function paintText({ width, height, luma }: Canvas, seed: number, shift: number, rows: number): void {
  luma.fill(16);
  const letter = Math.max(2, Math.round(width / 48));
  const rowHeight = Math.round(height / 9);
  for (let row = 0; row < rows; row++) {
    const random = seededRandom(Math.round(seed * 100) + row * 13);
    const letters = 8 + random.below(14);
    const left = Math.round((width - letters * letter) / 2);
    const top = Math.round((rows > 6 ? row * rowHeight : (row + 2.5) * rowHeight) - shift);
    for (let index = 0; index < letters; index++) {
      if (random.uniform() < 0.15) continue;
      const bottom = top + Math.round(rowHeight * (0.35 + 0.25 * random.uniform()));
      for (let y = Math.max(0, top); y < Math.min(height, bottom); y++) luma.fill(220, y * width + left + index * letter, y * width + left + index * letter + Math.max(1, letter - 1));
    }
  }
}
