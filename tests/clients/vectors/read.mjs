// What other people's readers make of a vector tile, without a browser: one line of JSON, of each reader a list of layers by name,
// their features with properties and lines of points, in units of the tile.
//
//   node read.mjs NODE-MODULES URL
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, url] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(path.resolve(modules, "x.js")).resolve(name)));
const [{ VectorTile }, { PbfReader }, { default: MVT }] = await Promise.all(["@mapbox/vector-tile", "pbf", "ol/format/MVT.js"].map(load));
const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());

const told = {};
for (const [name, layer] of Object.entries(new VectorTile(new PbfReader(bytes)).layers))
    told[name] = Array.from({ length: layer.length }, (_, k) => layer.feature(k))
        .map((feature) => [feature.properties, feature.loadGeometry().map((line) => line.map(({ x, y }) => [x, y]))]);

const drawn = {};
for (const feature of new MVT({ layerName: "layer of the tile" }).readFeatures(bytes)) { // it makes render features: flat points and where lines end
    const { "layer of the tile": layer, ...properties } = feature.getProperties();
    const [flat, ends] = [feature.getFlatCoordinates(), feature.getEnds() ?? []];
    const points = Array.from({ length: flat.length / 2 }, (_, k) => [flat[2 * k], flat[2 * k + 1]]);
    const cuts = ends.length ? ends.map((end) => end / 2) : [points.length];
    (drawn[layer] ??= []).push([properties, cuts.map((end, k) => points.slice(k ? cuts[k - 1] : 0, end))]);
}
process.stdout.write(`${JSON.stringify({ mapbox: told, openlayers: drawn })}\n`);
