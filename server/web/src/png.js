/*
 * PNG to numbers, without a canvas: browsers that guard against fingerprints put noise into what a canvas
 * gives back, which as heights is spikes of kilometres. Reads what the server writes: 8-bit grey, RGB,
 * RGBA and palette, 16-bit grey; no interlacing.
 */
const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const CHANNELS = { 0: 1, 2: 3, 3: 1, 6: 4 };
const SIDE_MOST = 4097;

const wrong = (why) => new Error(`PNG: ${why}`);

/* Header, palette and the pieces of data, of a file that ends as it should. */
function chunks(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 45 || SIGNATURE.some((byte, i) => bytes[i] !== byte)) throw wrong('no signature');
    const found = { data: [], header: null, palette: null };
    for (let at = 8; at + 12 <= bytes.length;) {
        const length = view.getUint32(at);
        const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
        if (length > bytes.length - at - 12) throw wrong('cut off');
        const body = bytes.subarray(at + 8, at + 8 + length);
        if (type === 'IHDR' && length === 13)
            found.header = {
                width: view.getUint32(at + 8),
                height: view.getUint32(at + 12),
                depth: body[8],
                colour: body[9],
                interlaced: body[12],
            };
        else if (type === 'PLTE') found.palette = body;
        else if (type === 'IDAT') found.data.push(body);
        else if (type === 'IEND') return found;
        at += 12 + length;
    }
    throw wrong('cut off');
}

async function inflate(pieces) {
    const stream = new Blob(pieces).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

function paeth(a, b, c) {
    const p = a + b - c;
    const pa = Math.abs(p - a);
    const pb = Math.abs(p - b);
    const pc = Math.abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Undoes one row's filter in place. above: the row before it, or zeros; bpp: bytes of a pixel. */
function unfilter(filter, row, above, bpp) {
    const n = row.length;
    switch (filter) {
        case 0:
            return;
        case 1:
            for (let i = bpp; i < n; i++) row[i] += row[i - bpp];
            return;
        case 2:
            for (let i = 0; i < n; i++) row[i] += above[i];
            return;
        case 3:
            for (let i = 0; i < n; i++) row[i] += ((i >= bpp ? row[i - bpp] : 0) + above[i]) >> 1;
            return;
        case 4:
            for (let i = 0; i < n; i++)
                row[i] += i >= bpp ? paeth(row[i - bpp], above[i], above[i - bpp]) : above[i];
            return;
        default:
            throw wrong(`filter ${filter}`);
    }
}

/**
 * {width, height, channels, data, palette}: data is a Uint8Array, or a Uint16Array where samples have 16
 * bits.
 */
export async function decode(buffer) {
    const { header, palette, data: pieces } = chunks(new Uint8Array(buffer));
    const channels = header && CHANNELS[header.colour];
    if (
        !channels ||
        header.interlaced ||
        !(header.depth === 8 || (header.depth === 16 && header.colour === 0))
    )
        throw wrong('not of a kind that tiles are');
    const { width, height, depth } = header;
    if (!(width >= 1 && height >= 1 && width <= SIDE_MOST && height <= SIDE_MOST)) throw wrong('too large');
    const bpp = (channels * depth) / 8;
    const pitch = width * bpp;
    const raw = await inflate(pieces);
    if (raw.length < height * (pitch + 1)) throw wrong('too little data');
    const bytes = new Uint8Array(height * pitch);
    let above = new Uint8Array(pitch);
    for (let y = 0; y < height; y++) {
        const row = bytes.subarray(y * pitch, (y + 1) * pitch);
        row.set(raw.subarray(y * (pitch + 1) + 1, (y + 1) * (pitch + 1)));
        unfilter(raw[y * (pitch + 1)], row, above, bpp);
        above = row;
    }
    const data =
        depth === 8
            ? bytes
            : Uint16Array.from({ length: width * height }, (_, i) => (bytes[2 * i] << 8) | bytes[2 * i + 1]);
    return { width, height, channels, data, palette };
}

/** Metres at pixel i of a terrarium picture. */
export const terrarium = (data, i) => data[3 * i] * 256 + data[3 * i + 1] + data[3 * i + 2] / 256 - 32768;
