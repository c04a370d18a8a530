import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dice, wrongSeed } from '../src/seed.js';

test('what the server takes', () => {
    for (const seed of [
        '0',
        '42',
        '18446744073709551615',
        '0xfeedFACE',
        '0X0',
        '0x1234567890abcdef',
        'atlantis',
        'A',
        'a_b-9',
        'z'.repeat(64),
    ])
        assert.equal(wrongSeed(seed), '', seed);
});

test('everything else is refused, and why is said', () => {
    for (const [text, why] of [
        ['18446744073709551616', /18446744073709551615 is the greatest/],
        ['9'.repeat(1e6), /too large/],
        ['007', /zeros/],
        ['0x12345678901234567', /1 to 16 digits/],
        ['0x123456789012345678', /1 to 16 digits/],
        ['0x', /1 to 16 digits/],
        ['0xworld', /1 to 16 digits/],
        ['z'.repeat(65), /at most 64 characters; this one has 65/],
        ...['', '-5', '+5', '1.5', 'Middle Earth', 'Ödland', '9lives', '世界', '🏔', '-', '..', 'a\n'].map(
            (text) => [text, /whole number, or a name/],
        ),
    ])
        assert.match(wrongSeed(text), why, text.slice(0, 30));
});

test('dice', () => {
    assert.equal(dice(0), '0');
    assert.equal(dice(0.294967295), '294967295');
    for (let k = 0; k < 100; k++) assert.equal(wrongSeed(dice()), '');
});
