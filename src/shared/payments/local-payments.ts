/** The reference of a signed post that only asks whether the deployed Worker reaches Paynow: no payment has such an id. */
export const SMOKE_TEST = 'smoke-test'

/** Ways to pay by Paynow with a request to a phone, and `web`: on Paynow's own page (Zimswitch, local cards, wallets). */
export const PHONE_METHODS = ['ecocash', 'onemoney', 'innbucks', 'omari'] as const
export type PhoneMethod = (typeof PHONE_METHODS)[number]
export const LOCAL_METHODS = [...PHONE_METHODS, 'web'] as const
export type LocalMethod = (typeof LOCAL_METHODS)[number]

export const METHOD_NAMES: Record<LocalMethod, string> = {
  ecocash: 'EcoCash',
  onemoney: 'OneMoney',
  innbucks: 'InnBucks',
  omari: 'O’mari',
  web: 'Zimswitch or card',
}

/** First digits of the networks whose numbers a wallet is tied to; the others take every mobile number. */
const NETWORKS: Partial<Record<PhoneMethod, { prefixes: string[]; text: string }>> = {
  ecocash: { prefixes: ['077', '078'], text: '077 or 078' },
  onemoney: { prefixes: ['071'], text: '071' },
}

export const localPaymentMessages = {
  phoneInvalid: 'Please enter a Zimbabwean mobile number, such as 077 123 4567',
  methodInvalid: 'Please choose how to pay',
  codeInvalid: 'Please enter the code from the text message',
  codeWrong: 'This code isn’t right. Please look at the text message again.',
  stillOpen:
    'The first request may still go through, so we haven’t sent another. Please answer it on the phone, or wait three minutes.',
  somebodyPays:
    'Somebody else is paying for this just now. Nothing was charged. Please look again in three minutes.',
  unreachable:
    'We could not reach Paynow. Nothing was charged. Please try again in a minute, or pay by card.',
} as const

/** A wallet's number that doesn't fit its network, as a message for the field. */
export function networkMessage(method: PhoneMethod): string {
  return `${METHOD_NAMES[method]} needs a number that begins with ${NETWORKS[method]?.text ?? '07'}`
}

/** The ten digits of a Zimbabwean mobile number, from `077 123 4567`, `+263 77…`, `00263…` or `77…`; null for any other text. */
export function readPhone(text: string): string | null {
  const digits = text.replaceAll(/[\s().-]/gu, '').replace(/^(?:\+|00)?263/u, '0')
  const phone = /^7\d{8}$/u.test(digits) ? `0${digits}` : digits
  return /^07[1378]\d{7}$/u.test(phone) ? phone : null
}

/** True if this wallet can belong to this number. `phone` as from {@link readPhone}. */
export function isOfNetwork(method: PhoneMethod, phone: string): boolean {
  return NETWORKS[method]?.prefixes.some((prefix) => phone.startsWith(prefix)) ?? true
}

/** `077 … 123`: enough to know one's own phone by. */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 3)} … ${phone.slice(-3)}`
}

/** The code of O'mari's text message, without blanks around it. */
export const PAYMENT_CODE = /^\d{3,12}$/u

/** Why a local payment failed: `expired` if nobody paid within two days. */
export type LocalProblem = 'no_balance' | 'refused' | 'cancelled' | 'failed' | 'expired'

/** What is known of a payment by Paynow besides its status. */
export type LocalPayment = {
  method: LocalMethod
  /** Masked (`077 … 123`); null on Paynow's own page. */
  phone: string | null
  /** The memorial it is intended for; null for one that doesn't exist yet. */
  targetMemorialId: string | null
  /** What to dial if the phone shows no request, as Paynow writes it. */
  instructions: string | null
  /** InnBucks: the code to approve in its app, and when it ends, as Paynow writes it. */
  code: string | null
  codeExpires: string | null
  /** True while O'mari waits for the code of its text message. */
  needsCode: boolean
  /** Paynow's page; null for phones. */
  redirectUrl: string | null
  /** False until Paynow has confirmed the request: the phone may or may not have it. */
  isStarted: boolean
  /** Null unless the payment is FAILED. */
  problem: LocalProblem | null
  /** When it became FAILED; null unless it is. */
  failedAt: string | null
  /** Until then no other request is sent for the same purchase, unless this one fails. */
  waitUntil: string
}
