/*
 * Frames that cost no more than they must: of a stack's layers those that a finer one covers are not drawn, and where a processor
 * draws, which makes tiles, too, frames are few while tiles are awaited.
 */
const WAIT_MS = 250; // until the second of the few; then twice as long each time, up to ...
const WAIT_MOST_MS = 1500;

/** Whether no graphics card draws: browsers have a warning for that, which they give too seldom. */
export function drawnSlowly() {
    const gl = document.createElement('canvas').getContext('webgl2');
    const told = gl?.getExtension('WEBGL_debug_renderer_info');
    const by = told ? gl.getParameter(told.UNMASKED_RENDERER_WEBGL) : '';
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(by);
}

/* Whether all that a source shows in the view is there, and opaque. */
function whole(manager) {
    const tiles = manager.getIds().map((id) => manager.getTileByID(id));
    return tiles.length > 0 && tiles.every((tile) => tile.hasData()) && !manager.hasTransition();
}

/** above(id): the sources of finer layers of the same stack, which lie over it. */
export function leaveOutCovered(map, above) {
    const { painter } = map;
    const draw = painter.renderLayer;
    painter.renderLayer = (of, manager, layer, ...rest) => {
        const over = map.getTerrain() ? [] : above(layer.id).map((id) => map.style.tileManagers[id]);
        if (!over.some((each) => each && whole(each))) draw.call(painter, of, manager, layer, ...rest);
    };
}

/** Frames of a map that stands still wait for each other until the last tile is there. */
export function drawSeldom(map) {
    const ask = map.triggerRepaint;
    let wait = WAIT_MS;
    let last = -wait;
    let timer = null;
    const draw = () => {
        clearTimeout(timer);
        timer = null;
        last = performance.now();
        ask.call(map);
    };
    map.on('render', () => {
        last = performance.now();
        wait = map.areTilesLoaded() ? WAIT_MS : Math.min(2 * wait, WAIT_MOST_MS);
    });
    map.triggerRepaint = () => {
        const left = map.isMoving() || map.areTilesLoaded() ? 0 : last + wait - performance.now();
        if (left <= 0) draw();
        else timer ??= setTimeout(draw, left);
    };
}
