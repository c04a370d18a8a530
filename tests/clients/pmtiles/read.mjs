// Reads tiles out of an archive with the pmtiles package: one line of JSON, header, metadata and the tiles in base64.
//
//   node read.mjs NODE-MODULES FILE Z/X/Y...
import { createRequire } from "node:module";
import { open } from "node:fs/promises";
import path from "node:path";

const [modules, file, ...names] = process.argv.slice(2);
const { PMTiles } = createRequire(path.resolve(modules, "x.js"))("pmtiles");

const handle = await open(file);
const archive = new PMTiles({
    getKey: () => file,
    async getBytes(offset, length) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
        return { data: buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + bytesRead) };
    },
});
const tiles = {};
for (const name of names) {
    const tile = await archive.getZxy(...name.split("/").map(Number));
    tiles[name] = tile ? Buffer.from(tile.data).toString("base64") : null;
}
process.stdout.write(`${JSON.stringify({ header: await archive.getHeader(), metadata: await archive.getMetadata(), tiles })}\n`);
await handle.close();
