/*
 * The package `terrane`, as build.mjs lays it beside the viewer: loaded when it is wanted first.
 */
const at = (name) => new URL(`viewer/${name}`, document.baseURI);

/** Whether it is there: the viewer is built with it, or without. */
export const carried = PACKAGE_FILES !== null;

let loaded;

async function load() {
    const [terrane, { default: recipes }] = await Promise.all([PACKAGE_FILES.script, PACKAGE_FILES.recipes].map((name) => import(at(name).href)));
    return {
        ...terrane,
        /** The text of a recipe that ships, by its file's name. */
        recipeText(file) {
            if (!Object.hasOwn(recipes, file)) throw new Error(`no recipe ${file}`);
            return JSON.stringify(recipes[file]);
        },
    };
}

export function loadPackage() {
    loaded ??= load();
    loaded.catch(() => {
        loaded = undefined; // who asks again has another try
    });
    return loaded;
}
