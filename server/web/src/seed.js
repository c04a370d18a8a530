/*
 * Seeds as people type them: 0 .. 2^64 - 1, 0x and hexadecimal digits, or a name. What is none of these is refused, as
 * the server does: no text stands for another world than the one it names.
 */
const MOST = 2n ** 64n - 1n;
const NAME_MOST = 64;

/** What is wrong with a text as a seed, in words; '' where nothing is. */
export function wrongSeed(text) {
    if (/^[0-9]+$/.test(text)) {
        if (/^0./.test(text)) return 'A number has no zeros before it.';
        return text.length > 20 || BigInt(text) > MOST
            ? `This number is too large: ${MOST} is the greatest seed.`
            : '';
    }
    if (/^0x/i.test(text))
        return /^0x[0-9a-f]{1,16}$/i.test(text) ? '' : 'After 0x come 1 to 16 digits, 0 to 9 and a to f.';
    if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(text))
        return text.length > NAME_MOST
            ? `A name has at most ${NAME_MOST} characters; this one has ${text.length}.`
            : '';
    return 'A seed is a whole number, or a name: a letter from A to Z, then such letters, digits, - and _.';
}

/** A number that reads well; any will do. */
export const dice = (random = Math.random()) => String(Math.floor(random * 1e9));
