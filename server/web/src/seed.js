/*
 * Seeds as people type them. The server takes 0 .. 2^64 - 1, 0x and hexadecimal digits, or a name; anything
 * else becomes one of these, always the same.
 */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const inRange = (digits) => digits.length <= 20 && BigInt(digits) < 2n ** 64n;

export function isSeed(text) {
    return (
        (/^(0|[1-9][0-9]*)$/.test(text) && inRange(text)) ||
        /^0[xX][0-9a-fA-F]{1,16}$/.test(text) ||
        NAME.test(text)
    );
}

/* FNV-1a over UTF-8, for text that has no letters a name could be made of. */
function hash(text) {
    let value = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text))
        value = ((value ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    return value.toString();
}

/** The seed that a text stands for; '' where there is no text. */
export function seedOf(text) {
    const given = text.trim();
    if (!given || isSeed(given)) return given;
    if (/^[+-]?[0-9]{1,40}$/.test(given))
        return BigInt.asUintN(64, BigInt(given.replace('+', ''))).toString();
    const name = given
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .replace(/[^A-Za-z0-9_-]+/g, '-')
        .replace(/^[^A-Za-z]+|-+$/g, '');
    const lost = /[^\p{ASCII}\p{M}]/u.test(given.normalize('NFKD'));
    return name && !lost ? name.slice(0, 64) : hash(given);
}

/** A number that reads well; any will do. */
export function dice(random = crypto.getRandomValues(new Uint32Array(1))[0]) {
    return String(random % 1000000000);
}
