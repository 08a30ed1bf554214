/** Formatting and validation of the three inputs, without DOM access. */

const AMEX = /^3[47]/

/** Groups the digits as on the card. */
export function formatNumber(text) {
  const digits = text.replace(/\D/g, '').slice(0, AMEX.test(text.replace(/\D/g, '')) ? 15 : 16)
  const groups = AMEX.test(digits)
    ? /^(\d{1,4})(\d{1,6})?(\d{1,5})?$/
    : /^(\d{1,4})(\d{1,4})?(\d{1,4})?(\d{1,4})?$/
  return (groups.exec(digits) ?? []).slice(1).filter(Boolean).join(' ')
}

/** `MM / YY`; a one-digit month gets a leading zero. */
export function formatExpiry(text) {
  let digits = text.replace(/\D/g, '').slice(0, 4)
  if (/^[2-9]/.test(digits)) digits = `0${digits}`.slice(0, 4)
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits
}

/** Digits only; three, or four for American Express. */
export function formatCvc(text, number) {
  return text.replace(/\D/g, '').slice(0, isAmex(number) ? 4 : 3)
}

/**
 * The first error, as `{field, type, code, message}` with Stripe's message, or null. Incomplete fields are
 * errors only with `isFinal`. `now` is a Date.
 */
export function findError({ number, expiry, cvc }, now, isFinal) {
  const digits = number.replace(/\D/g, '')
  const isLong = digits.length === (isAmex(number) ? 15 : 16)
  if (isLong && !passesLuhn(digits))
    return problem('number', 'invalid_number', 'Your card number is invalid.')
  if (!isLong && isFinal) return problem('number', 'incomplete_number', 'Your card number is incomplete.')
  const [month, year] = expiry.split(' / ').map(Number)
  const isDated = /^\d\d \/ \d\d$/.test(expiry)
  if (isDated && (month < 1 || month > 12)) {
    return problem('expiry', 'invalid_expiry_month', "Your card's expiration month is invalid.")
  }
  if (isDated && new Date(2000 + year, month, 1) <= now) {
    return 2000 + year < now.getFullYear()
      ? problem('expiry', 'invalid_expiry_year_past', "Your card's expiration year is in the past.")
      : problem('expiry', 'invalid_expiry_month_past', "Your card's expiration date is in the past.")
  }
  if (!isDated && isFinal) {
    return problem('expiry', 'incomplete_expiry', "Your card's expiration date is incomplete.")
  }
  if (isFinal && !isCvcComplete(cvc, number)) {
    return problem('cvc', 'incomplete_cvc', "Your card's security code is incomplete.")
  }
  return null
}

/** Whether the field is complete, so that focus can move to the next one. */
export function isFull(field, { number, expiry, cvc }) {
  if (field === 'number') return number.replace(/\D/g, '').length === (isAmex(number) ? 15 : 16)
  return field === 'expiry' ? /^\d\d \/ \d\d$/.test(expiry) : isCvcComplete(cvc, number)
}

function isCvcComplete(cvc, number) {
  return cvc.length === (isAmex(number) ? 4 : 3)
}

function isAmex(number) {
  return AMEX.test(number)
}

function problem(field, code, message) {
  return { field, type: 'validation_error', code, message }
}

function passesLuhn(digits) {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const value = Number(digits[digits.length - 1 - index]) * (index % 2 === 1 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}
