/**
 * Replaces https://js.stripe.com/v3/ in local runs and tests. The user types the card into a frame of the sandbox,
 * which sends it to the sandbox: no digit reaches the page. Nothing here needs
 * 'unsafe-inline': styles are set only through the CSSOM. Reference: https://docs.stripe.com/js
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
  const CLASSES = ['', '--empty', '--focus', '--complete', '--invalid'].map((part) => `StripeElement${part}`)
  let frames = 0

  /** The card field. `options` are Stripe's: `style`, `disabled`, `hidePostalCode`. */
  function createCard(options) {
    const listeners = {}
    const pending = new Map()
    let current = { ...options }
    let frame = null
    let container = null

    function emit(name, event) {
      for (const listener of listeners[name] ?? []) listener({ elementType: 'card', ...event })
    }

    function post(message) {
      frame?.contentWindow?.postMessage(message, origin)
    }

    function sendOptions() {
      const { style = {}, disabled = false } = current
      const { color, fontFamily, fontSize } = getComputedStyle(container)
      post({ type: 'options', inherited: { color, fontFamily, fontSize }, style, disabled })
    }

    const handlers = {
      loaded: sendOptions,
      ready: () => emit('ready', {}),
      height: ({ height }) => void (frame.style.height = `${height}px`),
      focus: () => {
        container.classList.add('StripeElement--focus')
        emit('focus', {})
      },
      blur: () => {
        container.classList.remove('StripeElement--focus')
        emit('blur', {})
      },
      change: ({ event }) => {
        container.classList.toggle('StripeElement--empty', event.empty)
        container.classList.toggle('StripeElement--complete', event.complete)
        container.classList.toggle('StripeElement--invalid', Boolean(event.error))
        emit('change', { ...event, value: { postalCode: '' } })
      },
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
      const found = typeof target === 'string' ? document.querySelector(target) : target
      if (!found) throw new Error(`The selector you specified (${target}) applies to no DOM elements.`)
      unmount()
      container = found
      const address = `/v3/card-frame#parent=${encodeURIComponent(location.origin)}`
      frame = openFrame(address, 'Secure card payment input frame')
      frame.style.width = '100%'
      frame.style.height = '5rem'
      window.addEventListener('message', receive)
      theme.addEventListener('change', followTheme)
      container.classList.add('StripeElement', 'StripeElement--empty')
      container.replaceChildren(frame)
    }

    function unmount() {
      window.removeEventListener('message', receive)
      theme.removeEventListener('change', followTheme)
      for (const resolve of pending.values()) resolve({ error: REMOVED_ERROR })
      pending.clear()
      frame?.remove()
      container?.classList.remove(...CLASSES)
      frame = null
      container = null
    }

    return {
      mount,
      unmount,
      destroy: unmount,
      on(name, listener) {
        ;(listeners[name] ??= []).push(listener)
        return this
      },
      off(name, listener) {
        listeners[name] = (listeners[name] ?? []).filter((other) => listener && other !== listener)
        return this
      },
      update(changes) {
        current = { ...current, ...changes }
        if (frame) sendOptions()
      },
      clear: () => post({ type: 'clear' }),
      focus: () => post({ type: 'focus' }),
      blur: () => post({ type: 'blur' }),
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

  /** Calls the API with the publishable key: `{paymentIntent}` or `{error}`, never a rejection. */
  async function call(method, path, fields) {
    const body = new URLSearchParams(fields)
    try {
      const isGet = method === 'GET'
      const response = await fetch(
        `${origin}${path}${isGet ? `?${body}` : ''}`,
        isGet ? {} : { method, body },
      )
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

    function retrievePaymentIntent(clientSecret) {
      const id = String(clientSecret).split('_secret_')[0]
      return call('GET', `/v1/payment_intents/${id}`, { key, client_secret: clientSecret })
    }

    async function handleNextAction({ clientSecret }) {
      const found = await retrievePaymentIntent(clientSecret)
      return found.error ? found : finish(found, clientSecret)
    }

    /** Runs 3-D Secure if the PaymentIntent requires it, and returns the result. */
    async function finish(result, clientSecret) {
      const intent = result.paymentIntent
      if (intent?.status !== 'requires_action' || intent.next_action?.type !== 'use_stripe_sdk') return result
      await showThreeDSecure(intent)
      const after = await retrievePaymentIntent(clientSecret)
      const failure = after.paymentIntent?.last_payment_error
      return failure ? { error: { ...failure, payment_intent: after.paymentIntent } } : after
    }

    async function confirmCardPayment(clientSecret, data = {}, options = {}) {
      const method = data.payment_method
      const id = String(clientSecret).split('_secret_')[0]
      const fields = { key, client_secret: clientSecret, use_stripe_sdk: 'true' }
      const result =
        typeof method === 'object'
          ? await method.card.confirmInFrame({ id, fields, billing: method.billing_details ?? {} })
          : await call('POST', `/v1/payment_intents/${id}/confirm`, {
              ...fields,
              ...(method ? { payment_method: method } : {}),
            })
      return options.handleActions === false ? result : finish(result, clientSecret)
    }

    return {
      elements: () => {
        let card = null
        return {
          create(type, options) {
            if (type !== 'card') throw new Error(`The sandbox has no "${type}" element, only "card".`)
            card = createCard(options)
            return card
          },
          getElement: (type) => (type === 'card' ? card : null),
        }
      },
      confirmCardPayment,
      retrievePaymentIntent,
      handleNextAction,
    }
  }
})()
