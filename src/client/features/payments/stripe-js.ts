import { messages } from '#shared/messages.ts'
import { hasCardForm } from '#shared/pages/pages.ts'

const LOAD_TIMEOUT_MS = 10_000

/** The part of the Stripe.js API that this code uses: https://docs.stripe.com/js */
export type StripeCard = {
  mount: (element: HTMLElement) => void
  destroy: () => void
  focus: () => void
  on: (event: 'ready' | 'change', handler: (event: { error?: { message: string } }) => void) => void
}
type StripeIntent = { id: string; status: string }
export type ConfirmResult = {
  paymentIntent?: StripeIntent
  error?: { message?: string; code?: string; payment_intent?: StripeIntent }
}
export type Stripe = {
  elements: () => {
    create: (type: 'card', options: { style: unknown; hidePostalCode: boolean }) => StripeCard
  }
  confirmCardPayment: (
    clientSecret: string,
    data: { payment_method: { card: StripeCard } },
  ) => Promise<ConfirmResult>
}

declare global {
  // eslint-disable-next-line no-var -- the script of js.stripe.com sets this global
  var Stripe: ((publishableKey: string) => Stripe) | undefined
}

/**
 * Loads Stripe's script once and returns its object. Throws an Error with a message for the user if the script doesn't load
 * within 10 seconds; the call can then be repeated.
 */
export async function loadStripe(scriptUrl: string, publishableKey: string): Promise<Stripe> {
  if (!globalThis.Stripe) await loadScript(scriptUrl)
  if (!globalThis.Stripe) throw new Error(messages.payment.formFailed)
  return globalThis.Stripe(publishableKey)
}

function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const fail = () => {
      script.remove()
      reject(new Error(messages.payment.formFailed))
    }
    const timer = setTimeout(fail, LOAD_TIMEOUT_MS)
    script.addEventListener('load', () => {
      clearTimeout(timer)
      resolve()
    })
    script.addEventListener('error', () => {
      clearTimeout(timer)
      fail()
    })
    script.src = url
    script.async = true
    document.head.append(script)
  })
}

/** Path for which the server sent the current document; the router may have navigated since. */
function pathOfDocument(): string {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation ? new URL(navigation.name).pathname : window.location.pathname
}

/**
 * Reloads the page if the current document was sent for another path (after signing in, for example), because that
 * document's CSP blocks the payment script. In that case the promise never settles.
 */
export async function requireCardDocument(): Promise<void> {
  if (hasCardForm(pathOfDocument()) || !hasCardForm(window.location.pathname)) return
  window.location.reload()
  await new Promise<never>(() => {})
}
