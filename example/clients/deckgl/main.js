// terrane in deck.gl: a TerrainLayer over the web-map pyramid.
//
// TerrainLayer makes a mesh of every terrarium tile. Tiles of 256 samples: of an image whose sides are no power of two it
// would leave the border at 0.

// Of deck.gl/dist.min.js, which index.html loads; or of "@deck.gl/core" and "@deck.gl/geo-layers".
const { Deck, MapView, TerrainLayer } = window.deck;

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";

const meshes = []; // what has been loaded

const terrain = new TerrainLayer({
    id: "terrane",
    elevationData: `${server}/xyz/42/{z}/{x}/{y}.png?enc=terrarium`,
    texture: `${server}/xyz/42/{z}/{x}/{y}.png?layer=relief`,
    elevationDecoder: { rScaler: 256, gScaler: 1, bScaler: 1 / 256, offset: -32768 },
    tileSize: 256,
    minZoom: 0,
    maxZoom: 18,
    meshMaxError: 60, // metres between the mesh and the samples, at most
    // Meshes are made in a worker, which comes from a CDN unless it is told from where.
    loadOptions: { terrain: { workerUrl: new URL("/node_modules/@loaders.gl/terrain/dist/terrain-worker.js", location).href } },
    onTileLoad: (tile) => meshes.push(tile),
});

const deck = new Deck({
    parent: document.getElementById("map"),
    views: new MapView({ repeat: false, farZMultiplier: 2 }),
    initialViewState: { longitude: -2.276, latitude: -1.105, zoom: 10, pitch: 45, bearing: 20 },
    controller: true,
    layers: [terrain],
    onLoad: () => { window.ready = true; },
});

Object.assign(window, { deck, terrain, meshes });
