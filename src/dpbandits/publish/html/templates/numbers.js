"use strict";
// Numbers for readers, as dpbandits.core.numbers writes them: a test compares both on one table.
const Numbers = (() => {
  const DIGITS = 3, LARGEST_POWER = 7, SMALLEST_POWER = -4, COMPARABLE = 1000;
  const raised = (number) => [...String(number)].map((sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign])).join("");
  const power = (base, exponent) => `${base}${raised(exponent)}`;
  const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, ",");
  const plain = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

  function scientific(size, digits) {
    const [mantissa, exponent] = size.toExponential(digits - 1).split("e");
    return [plain(mantissa), Number(exponent)];
  }
  // Three digits of 9,995,000 make 10⁷, but below 10⁷ all digits before the point stay: it is rounded to a unit.
  const hasPower = (size, exponent) => exponent < SMALLEST_POWER
    || (exponent >= LARGEST_POWER && size >= 10 ** LARGEST_POWER - 0.5);
  function exactPower(size) {
    for (const [base, log] of [[10, Math.log10(size)], [2, Math.log2(size)]]) {
      const exponent = Math.round(log);
      // Powers of ten are exact as text, and not as products.
      if ((base === 10 ? Number(`1e${exponent}`) : 2 ** exponent) === size) return power(base, exponent);
    }
    return "";
  }
  function number(value, digits = DIGITS) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const sign = value < 0 ? "−" : "", size = Math.abs(value);
    if (size === Infinity) return `${sign}∞`;
    const [mantissa, exponent] = scientific(size, digits);
    if (size && hasPower(size, exponent)) {
      const known = exponent > 0 ? exactPower(size) : "";
      return sign + (known || (mantissa === "1" ? power(10, exponent) : `${mantissa} · ${power(10, exponent)}`));
    }
    if (Number.isInteger(size)) return sign + grouped(String(size));
    return sign + plain(grouped(size.toFixed(Math.max(0, digits - 1 - exponent))));
  }

  // An estimate with its interval, all with the same decimals if they are of comparable size.
  function bracket(estimate, low, high) {
    if (low === null || high === null || Number.isNaN(low) || Number.isNaN(high) || (low === estimate && estimate === high)) return number(estimate);
    const values = [estimate, low, high], sizes = values.filter((value) => value).map(Math.abs);
    const exponents = sizes.filter(Number.isFinite).map((size) => scientific(size, DIGITS)[1]);
    const usual = !exponents.some((exponent, i) => hasPower(sizes[i], exponent));
    let texts = values.map((value) => number(value));
    if (exponents.length === sizes.length && usual && estimate && Math.max(...sizes) < COMPARABLE * Math.min(...sizes)) {
      const decimals = Math.max(0, DIGITS - 1 - exponents[0]);
      texts = values.map((value) => {
        const text = grouped(Math.abs(value).toFixed(decimals));
        return (value < 0 && /[1-9]/.test(text) ? "−" : "") + text;
      });
    }
    return `${texts[0]} [${texts[1]}, ${texts[2]}]`;
  }
  return { number, bracket };
})();
