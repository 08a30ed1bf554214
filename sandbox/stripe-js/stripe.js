/**
 * Replaces https://js.stripe.com/v3/ in local runs and tests. The user types the card into a frame of the sandbox,
 * which sends it to the sandbox: no digit reaches the page. Nothing here needs
 * 'unsafe-inline': styles are set only through the CSSOM. It has the part of https://docs.stripe.com/js that the product uses.
 */
;(() => {
  const origin = new URL(document.currentScript.src).origin
  const CONNECTION_ERROR = {
    type: 'api_connection_error',
    message:
      'We are experiencing issues connecting to our payments provider. You have not been charged. Please check your internet connection and try again.',
  }
  const REMOVED_ERROR = {
    type: 'api_error',
    message: 'The card field was removed before the payment finished.',
  }
  let frames = 0

  /** The card field. */
  function createCard({ style = {} }) {
    const listeners = {}
    const pending = new Map()
    let frame = null
    let container = null

    function emit(name, event) {
      for (const listener of listeners[name] ?? []) listener({ elementType: 'card', ...event })
    }

    function post(message) {
      frame?.contentWindow?.postMessage(message, origin)
    }

    function sendOptions() {
      const { color, fontFamily, fontSize } = getComputedStyle(container)
      post({ type: 'options', inherited: { color, fontFamily, fontSize }, style })
    }

    const handlers = {
      loaded: sendOptions,
      ready: () => emit('ready', {}),
      height: ({ height }) => void (frame.style.height = `${height}px`),
      change: ({ event }) => emit('change', event),
      confirmed: ({ request, result }) => {
        pending.get(request)?.(result)
        pending.delete(request)
      },
    }

    function receive(event) {
      if (event.origin !== origin || !frame || event.source !== frame.contentWindow) return
      if (Object.hasOwn(handlers, event.data?.type)) handlers[event.data.type](event.data)
    }

    const theme = matchMedia('(prefers-color-scheme: dark)')
    const followTheme = () => requestAnimationFrame(() => container && sendOptions())

    function mount(target) {
      destroy()
      container = target
      const address = `/v3/card-frame#parent=${encodeURIComponent(location.origin)}`
      frame = openFrame(address, 'Secure card payment input frame')
      frame.style.width = '100%'
      frame.style.height = '5rem'
      window.addEventListener('message', receive)
      theme.addEventListener('change', followTheme)
      container.replaceChildren(frame)
    }

    function destroy() {
      window.removeEventListener('message', receive)
      theme.removeEventListener('change', followTheme)
      for (const resolve of pending.values()) resolve({ error: REMOVED_ERROR })
      pending.clear()
      frame?.remove()
      frame = null
      container = null
    }

    return {
      mount,
      destroy,
      on(name, listener) {
        ;(listeners[name] ??= []).push(listener)
        return this
      },
      focus: () => post({ type: 'focus' }),
      /** Not part of Stripe.js: `confirmCardPayment` uses it to reach the frame. */
      confirmInFrame(message) {
        if (!frame) {
          throw new Error(
            'We could not retrieve data from the specified Element. Please make sure the Element you are attempting to use is still mounted.',
          )
        }
        const request = ++frames
        return new Promise((resolve) => {
          pending.set(request, resolve)
          post({ type: 'confirm', request, ...message })
        })
      },
    }
  }

  function openFrame(path, title) {
    const frame = document.createElement('iframe')
    frame.src = `${origin}${path}`
    frame.title = title
    frame.name = `__privateStripeFrame${++frames}`
    frame.style.border = '0'
    frame.style.display = 'block'
    // The frame has the same scheme, which keeps it transparent on a dark page.
    frame.style.colorScheme = 'light'
    return frame
  }

  /** The PaymentIntent as the publishable key sees it: `{paymentIntent}` or `{error}`, never a rejection. */
  async function retrieve(key, id, clientSecret) {
    const query = new URLSearchParams({ key, client_secret: clientSecret })
    try {
      const response = await fetch(`${origin}/v1/payment_intents/${id}?${query}`)
      const answer = await response.json()
      return answer.error ? { error: answer.error } : { paymentIntent: answer }
    } catch {
      return { error: CONNECTION_ERROR }
    }
  }

  /** Shows the 3-D Secure dialog over the whole page; resolves when the customer has answered it. */
  function showThreeDSecure(intent) {
    return new Promise((resolve) => {
      const details = new URLSearchParams({
        parent: location.origin,
        payment_intent: intent.id,
        amount: String(intent.amount),
        currency: intent.currency,
      })
      const dialog = document.createElement('dialog')
      const frame = openFrame(`/v3/three-d-secure#${details}`, '3-D Secure test')
      const fullSize = { width: '100%', height: '100%', maxWidth: 'none', maxHeight: 'none' }
      const noFrame = { padding: '0', border: '0', background: 'transparent', overflow: 'hidden' }
      Object.assign(dialog.style, fullSize, noFrame)
      Object.assign(frame.style, fullSize)
      dialog.setAttribute('aria-label', '3-D Secure test')
      const receive = (event) => {
        if (event.origin !== origin || event.source !== frame.contentWindow) return
        if (event.data?.type !== 'answered') return
        window.removeEventListener('message', receive)
        dialog.remove()
        resolve()
      }
      window.addEventListener('message', receive)
      // Only the dialog's buttons may close it, but Escape closes any dialog: open it again.
      dialog.addEventListener('close', () => dialog.isConnected && dialog.showModal())
      dialog.append(frame)
      document.body.append(dialog)
      dialog.showModal()
    })
  }

  window.Stripe = function Stripe(key) {
    if (typeof key !== 'string' || !key.startsWith('pk_')) {
      throw new Error('Please call Stripe() with your publishable key.')
    }

    /** Sends the card, and runs 3-D Secure if the PaymentIntent requires it. */
    async function confirmCardPayment(clientSecret, { payment_method: { card } }) {
      const id = String(clientSecret).split('_secret_')[0]
      const result = await card.confirmInFrame({
        id,
        fields: { key, client_secret: clientSecret, use_stripe_sdk: 'true' },
      })
      const intent = result.paymentIntent
      if (intent?.status !== 'requires_action' || intent.next_action?.type !== 'use_stripe_sdk') return result
      await showThreeDSecure(intent)
      const after = await retrieve(key, id, clientSecret)
      const failure = after.paymentIntent?.last_payment_error
      return failure ? { error: { ...failure, payment_intent: after.paymentIntent } } : after
    }

    return {
      elements: () => ({
        create(type, options) {
          if (type !== 'card') throw new Error(`The sandbox has no "${type}" element, only "card".`)
          return createCard(options)
        },
      }),
      confirmCardPayment,
    }
  }
})()
