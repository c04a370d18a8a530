import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { decode, terrarium } from '../src/png.js';

function chunk(type, body) {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body, Buffer.alloc(4)]); // whoever reads it minds no checksum: the connection has its own
}

/* rows: [filter, bytes...] */
function png(width, height, depth, colour, rows, { interlaced = 0, pieces = 1, end = true } = {}) {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width);
    header.writeUInt32BE(height, 4);
    header.set([depth, colour, 0, 0, interlaced], 8);
    const data = deflateSync(Buffer.from(rows.flat()));
    const cut = Math.ceil(data.length / pieces);
    const parts = Array.from({ length: pieces }, (_, k) =>
        chunk('IDAT', data.subarray(k * cut, (k + 1) * cut)),
    );
    const file = Buffer.concat([
        Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
        chunk('IHDR', header),
        ...parts,
        ...(end ? [chunk('IEND', Buffer.alloc(0))] : []),
    ]);
    return file.buffer.slice(file.byteOffset, file.byteOffset + file.length);
}

const PLAIN = [
    [10, 20, 30, 40],
    [11, 19, 33, 47],
    [200, 100, 50, 25],
    [0, 255, 128, 1],
    [3, 1, 4, 1],
];

/* A row as a filter writes it, by the words of the specification. */
function filtered(filter, row, above, bpp) {
    const paeth = (a, b, c) => [a, b, c].sort((p, q) => Math.abs(a + b - c - p) - Math.abs(a + b - c - q))[0];
    return [
        filter,
        ...row.map((value, i) => {
            const a = i >= bpp ? row[i - bpp] : 0;
            const b = above[i];
            const c = i >= bpp ? above[i - bpp] : 0;
            return (value - [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter]) & 255;
        }),
    ];
}

test('every filter, in grey', async () => {
    const rows = PLAIN.map((row, y) => filtered(y, row, PLAIN[y - 1] ?? [0, 0, 0, 0], 1));
    const { width, height, channels, data } = await decode(png(4, 5, 8, 0, rows, { pieces: 3 }));
    assert.deepEqual([width, height, channels], [4, 5, 1]);
    assert.deepEqual([...data], PLAIN.flat());
});

test('every filter, in colours', async () => {
    const wide = PLAIN.map((row) => [...row, ...row.map((value) => 255 - value), ...row]);
    const rows = wide.map((row, y) => filtered(y, row, wide[y - 1] ?? new Array(12).fill(0), 3));
    assert.deepEqual([...(await decode(png(4, 5, 8, 2, rows))).data], wide.flat());
});

test('16 bits are big-endian', async () => {
    const { data } = await decode(png(2, 1, 16, 0, [[0, 1, 2, 255, 254]]));
    assert.deepEqual([...data], [258, 65534]);
});

test('metres of terrarium', () => {
    assert.equal(terrarium([0, 0, 0, 128, 1, 128], 1), 1.5);
    assert.equal(terrarium([127, 255, 0], 0), -1);
});

test('what is no such file is refused', async () => {
    const rows = [[0, 1, 2]];
    const good = png(2, 1, 8, 0, rows);
    for (const wrong of [
        new ArrayBuffer(0),
        new ArrayBuffer(100),
        good.slice(0, 50),
        png(2, 2, 8, 0, rows),
        png(2, 1, 8, 6, rows),
        png(2, 1, 4, 3, rows),
        png(2, 1, 8, 0, rows, { interlaced: 1 }),
        png(2, 1, 8, 0, [[7, 1, 2]]),
        png(0, 1, 8, 0, rows),
        png(5000, 5000, 8, 0, rows),
        png(2, 1, 8, 0, rows, { end: false }),
    ])
        await assert.rejects(decode(wrong));
});
