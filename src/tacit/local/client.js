// Tacit's survey client: randomises answers in the page, in exact integer arithmetic on the browser's
// secure random source.  Nothing but the randomised report leaves it.  It reads bytes in the same order as
// tacit.local does, so that the same bytes give the same report.
"use strict";
const Tacit = (() => {
  // Secure random bytes, some thousands fetched at a time.
  function secureSource() {
    const pool = new Uint8Array(4096);
    let used = pool.length;
    return (count) => {
      const bytes = new Uint8Array(count);
      for (let i = 0; i < count; i++) {
        if (used === pool.length) { crypto.getRandomValues(pool); used = 0; }
        bytes[i] = pool[used];
        pool[used++] = 0;
      }
      return bytes;
    };
  }

  class Draws {
    constructor(octets) { this.octets = octets; }
    // A uniform BigInt below the bound: as many bits as it needs, thrown away where they are too large.
    below(bound) {
      const width = bound === 1n ? 0 : (bound - 1n).toString(2).length;
      const mask = (1n << BigInt(width)) - 1n;
      for (;;) {
        let drawn = 0n;
        for (const byte of this.octets(Math.ceil(width / 8))) drawn = (drawn << 8n) | BigInt(byte);
        drawn &= mask;
        if (drawn < bound) return drawn;
      }
    }
    number(bound) { return Number(this.below(BigInt(bound))); }
    coin(yes, no) { return this.below(BigInt(yes) + BigInt(no)) < BigInt(yes); }
  }

  function hex(bits) {
    let text = "";
    for (let start = 0; start < bits.length; start += 8) {
      let byte = 0;
      for (let i = 0; i < 8; i++) byte = (byte << 1) | (bits[start + i] ? 1 : 0);
      text += byte.toString(16).padStart(2, "0");
    }
    return text;
  }

  function hash(seed, index, prime) {
    let total = 0;
    while (index > 0) {
      total = (total + (seed % prime) * (index % prime)) % prime;
      seed = Math.floor(seed / prime);
      index = Math.floor(index / prime);
    }
    return total;
  }

  function ones(word) {
    let count = 0;
    for (; word; word >>>= 1) count += word & 1;
    return count;
  }

  function unary(places, index, held, other, draws) {
    const bits = [];
    for (let place = 0; place < places; place++) {
      const coin = place === index ? held : other;
      bits.push(draws.coin(coin[0], coin[1]));
    }
    return hex(bits);
  }

  const protocols = {
    "kary"(q, index, draws) {
      const lies = BigInt(q.lie) * BigInt(q.values - 1);
      if (draws.coin(q.truth, lies)) return index;
      return (index + 1 + draws.number(q.values - 1)) % q.values;
    },
    "unary"(q, index, draws) { return unary(q.values, index, q.held, q.other, draws); },
    "local-hashing"(q, index, draws) {
      const seed = draws.number(q.seeds);
      let place = hash(seed, index, q.prime);
      if (!draws.coin(q.truth, BigInt(q.lie) * BigInt(q.prime - 1))) {
        place = (place + 1 + draws.number(q.prime - 1)) % q.prime;
      }
      return [seed, place];
    },
    "count-mean-sketch"(q, index, draws) {
      const seed = draws.number(q.seeds);
      return [seed, unary(q.prime, hash(seed, index, q.prime), q.held, q.other, draws)];
    },
    "hadamard"(q, index, draws) {
      const row = draws.number(q.rows);
      const labels = 2 ** q.bits;
      let label = 0;
      for (let place = 0, turned = row; place < q.bits; place++) {
        label |= (ones(turned & index) & 1) << place;
        turned = 2 * turned < q.rows ? 2 * turned : (2 * turned - q.rows) ^ q.tail;
      }
      if (!draws.coin(q.truth, BigInt(q.lie) * BigInt(labels - 1))) label ^= 1 + draws.number(labels - 1);
      return row * labels + label;
    },
    "subset"(q, index, draws) {
      const inside = draws.coin(BigInt(q.truth) * BigInt(q.size), BigInt(q.lie) * BigInt(q.values - q.size));
      const others = q.values - 1;
      const chosen = new Set();
      for (let last = others - (q.size - (inside ? 1 : 0)); last < others; last++) {
        const drawn = draws.number(last + 1);
        chosen.add(chosen.has(drawn) ? last : drawn);
      }
      const bits = new Array(q.values).fill(false);
      for (const other of chosen) bits[(index + 1 + other) % q.values] = true;
      bits[index] = inside;
      return hex(bits);
    },
    "duchi"(q, step, draws) {
      const high = draws.number(q.steps) < step;
      return high === draws.coin(q.truth, q.lie) ? 1 : 0;
    },
    "piecewise"(q, step, draws) {
      const places = q.cells - q.window;
      const whole = Math.floor(step * places / q.steps), part = (step * places) % q.steps;
      const place = whole + (draws.number(q.steps) < part ? 1 : 0);
      if (draws.coin(BigInt(q.truth) * BigInt(q.window), BigInt(q.lie) * BigInt(places))) {
        return place + draws.number(q.window);
      }
      const outside = draws.number(places);
      return outside < place ? outside : outside + q.window;
    },
    "hybrid"(q, step, draws) {
      if (draws.coin(q.coin[0], q.coin[1])) return [1, protocols.piecewise(q.piecewise, step, draws)];
      return [0, protocols.duchi(q.duchi, step, draws)];
    },
  };

  // The step nearest to a number that is written in digits, halves upward, without a detour through floats.
  function stepOf(q, text) {
    const found = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(String(text).trim());
    if (!found) throw new Error("write a number in digits");
    const below = 10n ** BigInt((found[3] || "").length);
    let above = BigInt(found[2] + (found[3] || ""));
    if (found[1] === "-") above = -above;
    const [ln, ld] = q.low.map(BigInt), [hn, hd] = q.high.map(BigInt);
    // share = (above/below - ln/ld) / (hn/hd - ln/ld), both over ld
    let top = (above * ld - ln * below) * hd;
    const bottom = below * (hn * ld - ln * hd);
    if (top < 0n) top = 0n;
    if (top > bottom) top = bottom;
    return Number((top * BigInt(q.steps) * 2n + bottom) / (2n * bottom));
  }

  // What a question makes of an answer: the number of a label, or a step of the range.
  function indexOf(question, answer) {
    if (question.kind === "number") return stepOf(question, answer);
    const index = question.labels.indexOf(String(answer));
    if (index < 0) throw new Error("choose one of the answers");
    return index;
  }

  function randomise(question, index, octets) {
    return protocols[question.protocol](question, index, new Draws(octets));
  }

  // A line of JSON with one report for each question.
  function encode(survey, answers, octets = secureSource()) {
    const reports = {};
    for (const question of survey.questions) {
      reports[question.name] = randomise(question, indexOf(question, answers[question.name]), octets);
    }
    const id = Array.from(octets(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
    return JSON.stringify({ survey: survey.survey, digest: survey.digest, id, answers: reports });
  }

  return { encode, randomise, indexOf, stepOf, secureSource };
})();
