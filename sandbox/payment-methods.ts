import type Stripe from 'stripe'
import { cardOfForm, cardOfToken } from './cards.ts'
import type { Card } from './cards.ts'
import { textAt } from './form.ts'
import type { FormObject } from './form.ts'
import type { World } from './world.ts'

/** The card that the call brings, kept for later; null when it brings none. */
export function readCard(world: World, form: FormObject): Card | null {
  const token = textAt(form, 'payment_method')
  const data = form['payment_method_data']
  const known = token ? world.state.cards[token] : undefined
  if (known) return known
  const card = token
    ? cardOfToken(token, world.nowMs())
    : typeof data === 'object'
      ? cardOfForm(data, world.nowMs())
      : null
  if (card) world.state.cards[card.id] = card
  return card
}

/** The PaymentIntent will be paid with this card. */
export function takeCard(intent: Stripe.PaymentIntent, card: Card): void {
  intent.payment_method = card.id
  intent.status = 'requires_confirmation'
}

/** The card that the PaymentIntent has already, or null. */
export function knownCard(world: World, intent: Stripe.PaymentIntent): Card | null {
  const id = intent.payment_method
  return typeof id === 'string' ? (world.state.cards[id] ?? null) : null
}
