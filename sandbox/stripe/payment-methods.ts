import type Stripe from 'stripe'
import { cardFromForm, cardFromToken } from './cards.ts'
import type { Card } from './cards.ts'
import { textAt } from '../form.ts'
import type { FormObject } from '../form.ts'
import type { World } from '../world.ts'

/** Reads and stores the card of the call; null if it has none. */
export function readCard(world: World, form: FormObject): Card | null {
  const token = textAt(form, 'payment_method')
  const data = form['payment_method_data']
  const known = token ? world.state.cards[token] : undefined
  if (known) return known
  const card = token
    ? cardFromToken(token, world.nowMs())
    : typeof data === 'object'
      ? cardFromForm(data, world.nowMs())
      : null
  if (card) world.state.cards[card.id] = card
  return card
}

/** Sets the card that pays the PaymentIntent. */
export function attachCard(intent: Stripe.PaymentIntent, card: Card): void {
  intent.payment_method = card.id
  intent.status = 'requires_confirmation'
}

/** The PaymentIntent's card, or null. */
export function attachedCard(world: World, intent: Stripe.PaymentIntent): Card | null {
  const id = intent.payment_method
  return typeof id === 'string' ? (world.state.cards[id] ?? null) : null
}
