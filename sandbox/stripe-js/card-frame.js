import { findError, formatCvc, formatExpiry, formatNumber, isFull } from './card-fields.js'

const parentOrigin = new URLSearchParams(location.hash.slice(1)).get('parent') ?? ''
const form = document.querySelector('form')
const fields = {
  number: document.querySelector('#number'),
  expiry: document.querySelector('#expiry'),
  cvc: document.querySelector('#cvc'),
}
const names = Object.keys(fields)

function notifyParent(message) {
  parent.postMessage(message, parentOrigin)
}

function values() {
  return { number: fields.number.value, expiry: fields.expiry.value, cvc: fields.cvc.value }
}

function show(error) {
  for (const name of names) fields[name].setAttribute('aria-invalid', String(error?.field === name))
}

/** Shows errors and sends them to the page, but never the input. */
function report(isFinal = false) {
  const error = findError(values(), new Date(), isFinal)
  show(error)
  notifyParent({
    type: 'change',
    event: { error: error ? { type: error.type, code: error.code, message: error.message } : undefined },
  })
  return error
}

/** Formats the field and keeps the cursor after the same digit. */
function rewrite(name) {
  const input = fields[name]
  const digitsBefore = input.value.slice(0, input.selectionStart ?? 0).replace(/\D/g, '').length
  const isAtEnd = input.selectionStart === input.value.length
  if (name === 'number') input.value = formatNumber(input.value)
  if (name === 'expiry') input.value = formatExpiry(input.value)
  input.value = name === 'cvc' ? formatCvc(input.value, fields.number.value) : input.value
  let position = 0
  for (let seen = 0; seen < digitsBefore && position < input.value.length; position += 1) {
    if (/\d/.test(input.value[position])) seen += 1
  }
  if (isAtEnd) position = input.value.length
  input.setSelectionRange(position, position)
  return isAtEnd
}

for (const [index, name] of names.entries()) {
  const input = fields[name]
  input.addEventListener('input', (event) => {
    const isAtEnd = rewrite(name)
    report()
    const isTyping = event.inputType !== 'deleteContentBackward'
    if (isTyping && isAtEnd && isFull(name, values())) fields[names[index + 1]]?.focus()
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Backspace' && input.value === '') fields[names[index - 1]]?.focus()
  })
}

form.addEventListener('submit', (event) => event.preventDefault())

/** Sends the card to the API of this origin; the page gets only the result. */
async function confirm({ id, fields: sent }) {
  const error = report(true)
  if (error) {
    fields[error.field].focus()
    return { error: { type: error.type, code: error.code, message: error.message } }
  }
  const typed = values()
  const [month, year] = typed.expiry.split(' / ')
  const body = new URLSearchParams({
    ...sent,
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': typed.number.replaceAll(' ', ''),
    'payment_method_data[card][exp_month]': month,
    'payment_method_data[card][exp_year]': year,
    'payment_method_data[card][cvc]': typed.cvc,
  })
  try {
    const response = await fetch(`/v1/payment_intents/${id}/confirm`, { method: 'POST', body })
    const answer = await response.json()
    return answer.error ? { error: answer.error } : { paymentIntent: answer }
  } catch {
    return {
      error: {
        type: 'api_connection_error',
        message:
          'We are experiencing issues connecting to our payments provider. You have not been charged. Please check your internet connection and try again.',
      },
    }
  }
}

/** Applies the page's style: https://docs.stripe.com/js/appendix/style */
function applyOptions({ inherited, style }) {
  const base = style.base ?? {}
  const root = document.documentElement.style
  root.setProperty('--color', base.color ?? inherited.color)
  const placeholder = base['::placeholder']?.color
  if (placeholder) root.setProperty('--placeholder', placeholder)
  if (style.invalid?.color) root.setProperty('--invalid', style.invalid.color)
  document.body.style.fontFamily = base.fontFamily ?? inherited.fontFamily
  document.body.style.fontSize = base.fontSize ?? inherited.fontSize
}

let isReady = false
const handlers = {
  options: (message) => {
    applyOptions(message)
    if (!isReady) notifyParent({ type: 'ready' })
    isReady = true
  },
  focus: () => fields.number.focus(),
  confirm: async (message) => {
    const result = await confirm(message)
    notifyParent({ type: 'confirmed', request: message.request, result })
  },
}

addEventListener('message', (event) => {
  if (event.origin !== parentOrigin || event.source !== parent) return
  if (Object.hasOwn(handlers, event.data?.type)) void handlers[event.data.type](event.data)
})

new ResizeObserver(([entry]) => {
  notifyParent({ type: 'height', height: Math.ceil(entry.borderBoxSize[0].blockSize) })
}).observe(document.querySelector('main'))
notifyParent({ type: 'loaded' })
