// What MapLibre's own validator says of a style: one line of JSON, a list of messages.
//
//   node validate.mjs NODE-MODULES URL
import { createRequire } from "node:module";
import path from "node:path";

const [modules, url] = process.argv.slice(2);
const { validateStyleMin } = createRequire(path.resolve(modules, "x.js"))("@maplibre/maplibre-gl-style-spec");
const style = await (await fetch(url)).json();
process.stdout.write(`${JSON.stringify(validateStyleMin(style).map(({ message }) => message))}\n`);
