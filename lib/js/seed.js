// Seeds, as the server reads them.

const MOST = 2n ** 64n - 1n;
const DECIMAL = /^(0|[1-9][0-9]{0,19})$/;
const HEX = /^0[xX][0-9a-fA-F]{1,16}$/;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A seed as a BigInt; ofName(name) gives a name's. A RangeError tells what may be given. */
export function readSeed(seed, ofName) {
    const text = typeof seed === 'string' ? seed : typeof seed === 'bigint' || Number.isSafeInteger(seed) ? String(seed) : '';
    if (NAME.test(text)) return ofName(text);
    if ((DECIMAL.test(text) || HEX.test(text)) && BigInt(text) <= MOST) return BigInt(text);
    throw new RangeError(`seed: "${seed}" must be 0 .. ${MOST}, 0x and 1 to 16 hex digits, or a name [A-Za-z][A-Za-z0-9_-]{0,63}`);
}
