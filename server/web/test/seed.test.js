import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dice, isSeed, seedOf } from '../src/seed.js';

test('what the server takes stays', () => {
    for (const seed of [
        '0',
        '42',
        '18446744073709551615',
        '0xfeedFACE',
        '0x0',
        'atlantis',
        'A',
        'a_b-9',
        'z'.repeat(64),
    ])
        assert.equal(seedOf(` ${seed} `), seed);
});

test('everything else becomes something that it takes', () => {
    for (const text of [
        '007',
        '-5',
        '+5',
        '18446744073709551616',
        '1.5',
        'Middle Earth',
        'Ödland',
        '  spaced  out ',
        '9lives',
        '世界',
        '🏔',
        '-',
        'z'.repeat(99),
        '0x',
        '0x12345678901234567',
    ])
        assert.ok(isSeed(seedOf(text)), `${text}: ${seedOf(text)}`);
    assert.equal(seedOf(''), '');
    assert.equal(seedOf('   '), '');
});

test('the same text is the same seed, and another one another', () => {
    assert.equal(seedOf('-5'), String(2n ** 64n - 5n));
    assert.equal(seedOf('007'), '7');
    assert.equal(seedOf('Middle Earth'), 'Middle-Earth');
    assert.equal(seedOf('Ödland'), 'Odland');
    assert.notEqual(seedOf('世界'), seedOf('天地'));
    assert.notEqual(seedOf('地x'), seedOf('天x'));
});

test('dice', () => {
    assert.equal(dice(4294967295), '294967295');
    assert.ok(isSeed(dice()));
});
