/*
 * The viewer: reads the address, learns of the world, and puts the parts together.
 */
import 'maplibre-gl/dist/maplibre-gl.css';
import './page.css';
import './bar.css';
import './map.css';
import './panel.css';
import './edit.css';
import { beginThere, beginView } from './ahead.js';
import { createBar } from './bar.js';
import { connectPanel, helpPanel } from './connect.js';
import { $, later, make } from './dom.js';
import { createDots } from './dots.js';
import { createEdit } from './edit.js';
import { editPanel } from './editpanel.js';
import { dropPanel } from './drop.js';
import { findPanel } from './find.js';
import { createGoTo } from './goto.js';
import { keyForm, keyOf, wantsKey } from './key.js';
import { listen } from './keys.js';
import { LAYER_NAMES, OVER, hasLayer, incomparable } from './layers.js';
import { applyTheme, lightPanel } from './light.js';
import { createHere } from './here.js';
import { createLive, squareOf } from './live.js';
import { RefusedError, createLoader } from './load.js';
import { createMaker } from './maker.js';
import { createMapView, prepareMaps } from './mapview.js';
import { createMenu } from './menu.js';
import { metresPerPixel, side } from './mercator.js';
import { createOverlay } from './overlay.js';
import { carried, loadPackage } from './package.js';
import { createPanels } from './panel.js';
import { DEFAULTS, format, parse } from './permalink.js';
import { profilePanel } from './profile.js';
import { addProtocols } from './protocol.js';
import { createReadout } from './readout.js';
import { dice, wrongSeed } from './seed.js';
import { createStand } from './stand.js';
import { createStatus } from './status.js';
import { createStore } from './store.js';
import { createSwipe } from './swipe.js';
import { screenshot, takePanel } from './take.js';
import { compared, worldUrl } from './urls.js';
import { createWalk } from './walk.js';
import { createWays } from './ways.js';
import { zonesPanel } from './zones.js';

const alone = 'alone' in document.documentElement.dataset; // there is no server: files, and what is made here
const key = alone ? '' : keyOf();

function askKey(why) {
    $('#key-form')?.parentElement.remove();
    $('main').append(make('div', { className: 'lone' }, keyForm(why, Boolean(key))));
    $('#key').focus();
}

/* Says what is wrong where there is no map to say it over. Of the bar the seed alone works, anew. */
function fail(error) {
    const anew = () => location.reload();
    document.body.classList.add('alone');
    if (wantsKey(error)) {
        askKey(error.message);
        return;
    }
    $('main').append(
        make(
            'p',
            { className: 'lone', role: 'alert' },
            `The world cannot be shown: ${error.message} `,
            make('button', { type: 'button', textContent: 'Try again', onclick: anew }),
        ),
    );
    $('#seed-form').onsubmit = (event) => {
        event.preventDefault();
        const seed = $('#seed').value.trim();
        if (seed) location.hash = format({ ...DEFAULTS, seed });
        anew();
    };
    addEventListener('hashchange', anew);
}

/* Where no seed is said and the server shows its own worlds alone, the first of these. */
function firstState(worlds, fragment) {
    const state = parse(fragment);
    if (!worlds.open && worlds.named.length && !/(^|[#&])seed=/.test(fragment))
        return { ...state, seed: worlds.named[0].name };
    return state;
}

/* What the server says of a world. */
async function describe({ loader, here }, wanted) {
    const why = wrongSeed(wanted.seed);
    if (why) throw new RefusedError(400, why);
    const world = await loader.json(worldUrl(wanted));
    return { ...world, made: world.made ?? (await here.makes(worldUrl({ ...wanted, v: String(world.generator) }))) };
}

/* Of a view what a world has: not every one has each layer, variant and zone; and what is given. */
const fitted = (state, world, gives) => ({
    ...state,
    ...Object.fromEntries(OVER.map(({ id, needs }) => [id, state[id] && (!needs || gives(needs))])),
    layer: hasLayer(world, state.layer) ? state.layer : DEFAULTS.layer,
    variant: world.variants.includes(state.variant) ? state.variant : '',
    compare: world.variants.length > 1 ? state.compare : null,
    zone: state.zone < world.zones.length ? state.zone : null,
    at: state.at !== null && state.at < world.edits?.count ? state.at : null,
    v: String(world.generator), // so that the address means this world for good
});

/* The world that the address says; where there is none, the one that the server shows unasked, and why. */
async function firstWorld(parts, worlds) {
    const { loader } = parts;
    const asked = firstState(worlds, location.hash);
    try {
        return { first: asked, described: await describe(parts, asked), why: '' };
    } catch (error) {
        const first = firstState(worlds, '');
        if (!(error instanceof RefusedError) || worldUrl(first) === worldUrl(asked)) throw error;
        loader.forgive(worldUrl(asked));
        return { first, described: await describe(parts, first), why: error.message };
    }
}

async function start() {
    applyTheme();
    let status = null;
    let here = null;
    const loader = createLoader(key, (counts) => {
        status?.update(counts);
        here?.update();
    });
    const { gives } = loader;
    const maker = createMaker({
        alone,
        load: loadPackage,
        key,
        differs: () => status.say('The ground that is made here is another than the server\u2019s.', 15000),
    });
    if (alone) {
        loader.make(maker);
        loadPackage().catch(() => {}); // it will be wanted; who wants it is told why it is not there
    }
    const say = (...words) => status.say(...words);
    here = createHere({ alone, loader, maker, address: () => worldUrl(store.get()), changed: () => remake(), say });
    const worlds = await loader.json('viewer/worlds.json');
    const found = firstWorld({ loader, here }, worlds);
    found.catch(() => {}); // awaited below
    await new Promise((done) => setTimeout(() => done(prepareMaps()))); // while the server looks for the place
    const { first, described, why } = await found;
    let world = described;
    const place = first.x === null ? { x: world.spawn.x, y: world.spawn.y } : {};
    const store = createStore(fitted({ ...first, ...place }, world, gives));
    const known = () => world;

    addProtocols(loader);
    loader.look(() => {
        const [{ x, y }, map] = [store.get(), side(world.spacing_m)];
        return { x: x / map + 0.5, y: y / map + 0.5 };
    });
    const waiting = (yes) =>
        status?.hold(
            yes ? `${LAYER_NAMES[store.get().layer][0]}: not here; in grey, what was shown before.` : '',
        );
    const ahead = new AbortController();
    const begin = world.made ? beginView : beginThere;
    if (!store.get().three) begin({ loader, state: store.get(), world, window: { width: innerWidth, height: innerHeight }, signal: ahead.signal });
    const view = createMapView({ container: $('#map'), over: $('#over'), store, world, waiting });
    view.map.once('render', () => view.map.once('movestart', () => ahead.abort()));
    status = createStatus({
        again: () => {
            if (loader.outdated()) location.reload();
            const locked = loader.locked();
            if (locked) askKey(locked);
            loader.forgive();
            view.again();
            for (const each of [stand, dots, ways]) each.renew(() => true);
        },
    });
    store.on('seed recipe v layer variant', () => loader.forgive());
    /* What could not be had is told while it would be seen. */
    store.on('x y zoom', () => {
        const { west, north, east, south } = view.bounds();
        const least = 64 * metresPerPixel(store.get().zoom, world.spacing_m);
        loader.forgive((url) => {
            const at = squareOf(url, world.spacing_m);
            return !at || at.size < least || at.west > east || at.west + at.size < west || at.north > south || at.north + at.size < north;
        });
    });
    const alike = () => {
        const { compare, layer } = store.get();
        if (compare !== null && incomparable(layer)) status.say(incomparable(layer));
    };
    store.on('layer compare', alike);
    const overlay = createOverlay({ view, store, world: known });
    createSwipe({ store });
    const ways = createWays({ store, loader, view, world: known, say });
    const dots = createDots({ store, loader, view, world: known, say });
    const stand = createStand({ store, loader, view, world: known });

    const live = createLive({
        store,
        loader,
        view,
        world: known,
        headers: key ? { 'X-Api-Key': key } : {},
        renewed(touched) {
            for (const each of [stand, dots]) each.renew(touched);
            readout.update();
        },
        changed: () => changing.changed(),
        async anew() {
            edit.forget();
            loader.stale(() => true);
            await visit(store.get().seed, store.get().recipe, { ...store.get(), at: null, v: '' }); // of another generator, maybe
            status.say('The world was made anew.', 10000);
            view.reload();
            view.renew(() => true);
            for (const each of [stand, dots, ways]) each.renew(() => true);
            readout.unpin();
        },
        trouble: (text) => text && status.say(text),
    });
    const edit = createEdit({
        store,
        loader,
        view,
        world: known,
        overlay,
        say,
        changed: (what) => changing.changed(what),
    });
    const changing = editPanel({ store, world: known, edit, live });

    /* ---- Another world: where the server says that it is worth seeing, unless a place is said. ---- */
    let asked = 0;
    let visiting = 0; // the one whose answer is awaited: the address is its own meanwhile
    let awaited = null; // its world
    async function visit(seed, recipe, rest = null) {
        const mine = ++asked;
        visiting = mine;
        const wanted = { seed, recipe, v: rest?.v ?? '' };
        awaited = wanted;
        try {
            const next = await describe({ loader, here }, wanted);
            if (mine !== asked) return;
            visiting = 0;
            status.say('');
            world = next;
            view.setWorld(next);
            const there = rest ?? { zoom: DEFAULTS.zoom, zone: null };
            const at = { x: there.x ?? next.spawn.x, y: there.y ?? next.spawn.y };
            store.set(fitted({ ...store.get(), at: null, ...there, ...wanted, ...at }, next, gives));
            live.begin();
        } catch (error) {
            loader.forgive(worldUrl(wanted));
            if (mine !== asked) return;
            visiting = 0;
            status.say(error.message, 10000);
        }
        show();
        write();
    }

    const tilt = (three) => view.tilt(three);
    const bar = createBar({ store, worlds, visit: (seed, recipe) => visit(seed, recipe), tilt });
    const menu = createMenu({ store, loader, world: known, gives });
    const panels = createPanels(
        [
            changing,
            zonesPanel({ store, loader, view, world: known }),
            lightPanel({ store, tilt, made: carried ? here.section : null }),
            profilePanel({ store, loader, view, world: known, overlay }),
            dropPanel({ store, loader, view, world: known, overlay }),
            findPanel({ store, loader, view, world: known, overlay }),
            takePanel({ store, loader, view, world: known, overlay, key, status }),
            connectPanel({ store, world: known, key }),
            helpPanel({ world: known, gives }),
        ].filter(({ needs }) => !needs || gives(needs)),
    );
    async function remake() {
        const of = world;
        const made = await here.makes(worldUrl(store.get()));
        if (world !== of) return remake(); // another one was opened meanwhile
        world = { ...of, made };
        view.setWorld(world);
        view.reload();
        return undefined;
    }
    const readout = createReadout({
        store,
        loader,
        view,
        world: known,
        overlay,
        busy: () => ['profile', 'drop', 'edit'].includes(panels.current()),
    });
    const goTo = createGoTo({ view, half: () => side(world.spacing_m) / 2 });
    $('.skip').onclick = (event) => {
        event.preventDefault(); // its fragment would be another view
        view.map.getCanvas().focus();
    };
    const walk = createWalk({ store, gives });

    function show() {
        bar.show(store.get(), world);
        menu.show(store.get());
        panels.show(world);
    }

    /* ---- The address is what is shown: another world is a step back, the rest is not. ---- */
    let written = location.hash;
    const write = later(250, () => {
        if (visiting) return;
        written = format(store.get());
        if (location.hash !== written) history.replaceState(null, '', written);
    });
    store.on('', (state, changed) => {
        show();
        if (['seed', 'recipe', 'v'].some((key) => changed.includes(key))) {
            bar.history.add(state.seed, world.recipe, state.recipe);
            written = format(state);
            if (location.hash !== written) history.pushState(null, '', written);
        }
        write();
    });
    addEventListener('hashchange', () => {
        if (location.hash === written) return;
        written = location.hash;
        const { seed, recipe, ...rest } = parse(location.hash);
        const now = store.get();
        if (seed === now.seed && recipe === now.recipe && (rest.v || now.v) === now.v) {
            if (visiting && (awaited.seed !== now.seed || awaited.recipe !== now.recipe || (awaited.v && awaited.v !== now.v))) {
                asked++; // what was on its way is not wanted any more
                visiting = 0;
            }
            status.say('');
            const grown = world.edits ? { ...world, edits: { ...world.edits, count: live.count() } } : world; // since it was described
            store.set(fitted({ ...now, ...rest, ...(rest.x === null && { x: now.x, y: now.y }) }, grown, gives));
            write();
        } else visit(seed, recipe, rest);
    });

    const varies = () => world.variants.length > 1;
    const flip = () => {
        const state = store.get();
        if (varies())
            store.set({
                compare: null,
                variant: !compared(state) && (state.variant || world.variant) !== 'base' ? 'base' : world.variant,
            });
    };
    listen({
        store,
        actions: {
            '/': () => $('#seed').focus(),
            r: () => worlds.open && visit(dice(), store.get().recipe),
            e: () => (world.edits ? panels.toggle('edit') : flip()),
            c: () => {
                const { compare, layer } = store.get();
                if (incomparable(layer)) status.say(incomparable(layer));
                else if (varies()) store.set({ compare: compare === null ? 0.5 : null });
            },
            v: () => tilt(!store.get().three),
            m: () => menu.toggle(),
            ...Object.fromEntries(
                OVER.map(({ id, key, needs, has }) => [key, () => has(world) && (!needs || gives(needs)) && store.set({ [id]: !store.get()[id] })]),
            ),
            g: () => goTo.open(),
            w: () => walk.go(),
            k: () => panels.toggle('zones'),
            p: () => panels.toggle('profile'),
            d: () => panels.toggle('drop'),
            f: () => panels.toggle('find'),
            x: () => panels.toggle('take'),
            s: () => screenshot({ view, overlay, store }),
            '?': () => panels.toggle('help'),
            escape: () => {
                panels.close()?.focus();
                readout.unpin();
            },
            layer: (layer) => hasLayer(world, layer) && store.set({ layer }),
        },
    });

    bar.history.add(first.seed, world.recipe, first.recipe);
    live.begin();
    show();
    write();
    if (why) status.say(`Shown instead of what was asked for: ${why}`, 15000);
    if (matchMedia('(min-width: 1100px)').matches) panels.open('zones');
    globalThis.terrane = { store, view, stand, maker, edit, live }; // for the console
    if (alone) view.map.once('idle', () => navigator.serviceWorker?.register('sw.js').catch(() => {})); // from then on without the network
}

start().catch(fail);
