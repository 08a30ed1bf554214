const details = new URLSearchParams(location.hash.slice(1))
const problem = document.querySelector('#problem')

document.querySelector('#amount').textContent = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: details.get('currency') ?? 'usd',
}).format(Number(details.get('amount')) / 100)

for (const outcome of ['complete', 'fail']) {
  document.querySelector(`#${outcome}`).addEventListener('click', () => void answer(outcome))
}

document.querySelector('#title').focus()

/** Sends the answer to the API; the page only learns that there is one. */
async function answer(outcome) {
  problem.textContent = ''
  try {
    const response = await fetch('/test/authenticate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paymentIntent: details.get('payment_intent'), outcome }),
    })
    if (!response.ok) throw new Error(`${response.status}`)
    parent.postMessage({ type: 'answered' }, details.get('parent') ?? '')
  } catch {
    problem.textContent = 'The answer could not be sent. Please try again.'
  }
}
