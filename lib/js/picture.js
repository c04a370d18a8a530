// Pictures of samples: the pixels that the server's PNGs have, without a PNG. Of numbers they are made here, by the rules of
// docs/formats.md; of all else the library makes them.

const round = (value, most) => Math.min(Math.max(Math.floor(value + 0.5), 0), most);
const terrarium = (metres) => round((metres + 32768) * 256, 0xffffff);
const BANDS = 4;

/* Droplets, or discharge: n = round(16 flow) below one, from there on 24 steps an octave. */
function logarithm(flow) {
    const n = round(flow * 16, 1 << 14);
    if (n < 16) return n;
    const octave = 27 - Math.clz32(n);
    return Math.min(16 + 24 * octave + ((24 * (n - (16 << octave))) >> (octave + 4)), 255);
}

const grey = (quantised, Kind = Uint8Array) => ({ channels: 1, of: (samples) => Kind.from(samples, quantised) });
const degrees = (full) => grey((value) => round((value * 255) / full, 255));

function rgbOf(numbers) {
    const data = new Uint8Array(3 * numbers.length);
    numbers.forEach((q, i) => data.set([q >> 16, (q >> 8) & 255, q & 255], 3 * i));
    return data;
}

const heights = { channels: 3, of: (samples) => rgbOf(Int32Array.from(samples, terrarium)) };
const NUMBERS = {
    height: heights,
    surface: heights,
    delta: heights,
    normal: { channels: 3, of: (samples) => Uint8Array.from(samples, (n) => round(n * 127.5 + 127.5, 255)) },
    slope: degrees(90),
    aspect: degrees(360),
    water: grey((metres) => round(metres * 8, 65535), Uint16Array),
    flow: grey(logarithm),
    river: grey(logarithm),
};

/* Of the squares between samples: the mean of the four corners' numbers. */
function centres({ samples, width, height }) {
    const q = Int32Array.from(samples, terrarium);
    const means = new Int32Array((width - 1) * (height - 1));
    for (let j = 0, k = 0; j < height - 1; j++)
        for (let i = 0; i < width - 1; i++, k++) {
            const at = j * width + i;
            means[k] = (q[at] + q[at + 1] + q[at + width] + q[at + width + 1] + 2) >> 2;
        }
    return { data: rgbOf(means), width: width - 1, height: height - 1, channels: 3 };
}

/** { data, width, height, channels } of a tile of numbers. center: of height, surface and delta, with the far edge. */
export function pictureOfNumbers(tile, layer, center) {
    if (center) return centres(tile);
    const { channels, of } = NUMBERS[layer];
    return { data: of(tile.samples), width: tile.width, height: tile.height, channels };
}

/** The same of pixels; of cover four of the materials' weights from the 4 * bands-th on. palette: of indices. */
export function pictureOfPixels(pixels, layer, bands) {
    if (layer !== 'cover') return pixels;
    const { data, width, height, channels } = pixels;
    const four = new Uint8Array(BANDS * width * height);
    for (let i = 0; i < width * height; i++)
        for (let m = BANDS * bands; m < Math.min(channels, BANDS * (bands + 1)); m++) four[BANDS * i + m - BANDS * bands] = data[channels * i + m];
    return { data: four, width, height, channels: BANDS };
}

/* A pixel as a word of 32 bits, whose first byte is red where bytes are in the order of WebAssembly's. */
const word = (red, green, blue) => (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

/** A picture's pixels as red, green, blue and alpha, as an ImageData wants them: indices in their colours, numbers of 16 bits by their upper byte. */
export function rgbaOf({ data, width, height, channels, palette }) {
    const out = new Uint32Array(width * height);
    if (channels === 1) {
        const most = data.BYTES_PER_ELEMENT === 2 ? 65536 : 256, shift = most === 65536 ? 8 : 0;
        const at = palette ? (k) => word(...palette.subarray(3 * k, 3 * k + 3)) : (k) => word(k >> shift, k >> shift, k >> shift);
        const words = Uint32Array.from({ length: palette ? palette.length / 3 : most }, (_, k) => at(k));
        for (let i = 0; i < out.length; i++) out[i] = words[data[i]];
    } else for (let i = 0, k = 0; i < out.length; i++, k += channels) out[i] = word(data[k], data[k + 1], data[k + 2]);
    return new Uint8ClampedArray(out.buffer);
}
