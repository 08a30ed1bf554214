import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import type { MediaUploaded } from '../../src/shared/media/media.ts'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import type { NewAuthenticator } from '../../src/shared/accounts/passkeys.ts'
import type { PaymentIntent } from '../../src/shared/payments/payments.ts'
import type { ContributorSession } from '../../src/shared/invites/invites.ts'
import { codeAt, fromBase32, stepAt } from '../../src/worker/features/passkeys/totp.ts'
import {
  DRAFT,
  JOSIAH,
  JOSIAH_GATHERING,
  JOSIAH_MESSAGES,
  JOSIAH_PHOTOS,
  TENDAI,
  TENDAI_MESSAGES,
  TENDAI_PHOTOS,
  TENDAI_SERVICES,
} from './demo/texts.ts'
import { ProductClient, waitForMail } from './local/product-client.ts'

export const DEMO = {
  password: 'granite-and-msasa',
  /** The address of its public memorial, known before it exists: the landing page links to it. */
  publicSlug: 'tendai-rudo-moyo-demo',
  owner: { email: 'rudo@family.example', firstName: 'Rudo', lastName: 'Moyo' },
  admin: { email: 'keeper@nhaka.example', firstName: 'Chipo', lastName: 'Keeper' },
} as const

const MEDIA = resolve(import.meta.dirname, 'demo/media')
type Place = { url: string; sandboxUrl: string; db: D1Database }
export type SeededDemo = {
  /** Of the admin's authenticator app. */
  adminSecret: string
  /** Of the session in which the admin has just set up that app, so the console asks for no code. */
  adminCookie: string
  publicSlug: string
  publicId: string
  inviteLink: string
  inviteId: string
  draftId: string
}

/**
 * Creates the demo through the public API, as people would: register, confirm by mail, pay with a test card, write, upload,
 * invite, make public. Only the admin role and the address of the example are set in the database, as the operator does.
 */
export async function seedDemo({ url, sandboxUrl, db }: Place): Promise<SeededDemo> {
  const owner = await account(url, sandboxUrl, DEMO.owner)
  const admin = await account(url, sandboxUrl, DEMO.admin)
  await db.prepare("UPDATE users SET role = 'ADMIN' WHERE email = ?").bind(DEMO.admin.email).run()
  const adminSecret = await authenticatorOf(admin)

  const tendai = await paidMemorial(owner, sandboxUrl, TENDAI)
  await db.prepare('UPDATE memorials SET slug = ? WHERE id = ?').bind(DEMO.publicSlug, tendai.id).run()
  await owner.call('PATCH', `/api/memorials/${tendai.id}`, { lifeStory: TENDAI.lifeStory })
  await portrait(owner, tendai.id, 'tendai-portrait.jpg')
  for (const service of TENDAI_SERVICES) {
    await owner.call('POST', `/api/memorials/${tendai.id}/funeral-events`, service)
  }
  await owner.upload(
    `/api/memorials/${tendai.id}/funeral-program`,
    resolve(MEDIA, 'programme-tendai-moyo.pdf'),
    'application/pdf',
  )
  await owner.call('PUT', `/api/memorials/${tendai.id}/location`, {
    label: 'Yeovil Cemetery, Mutare',
    latitude: -18.9707,
    longitude: 32.6709,
  })
  const video = await media(owner, tendai.id, 'VIDEO', 'tea-hills-pan.mp4', 'video/mp4', {
    caption: 'The hills above Honde',
  })
  await poster(owner, video, 'tea-hills-pan.jpg')
  await media(owner, tendai.id, 'AUDIO', 'mbira.ogg', 'audio/ogg', { caption: 'Mbira, played at the house' })
  for (const { file, ...texts } of TENDAI_PHOTOS.toReversed()) {
    await media(owner, tendai.id, 'IMAGE', file, 'image/jpeg', texts)
  }
  await inviteAndWrite(owner, url, tendai.id, TENDAI_MESSAGES)
  await owner.call('PATCH', `/api/memorials/${tendai.id}/privacy`, { privacy: 'LOCKED' })

  const josiah = await paidMemorial(owner, sandboxUrl, JOSIAH)
  await owner.call('PATCH', `/api/memorials/${josiah.id}`, { lifeStory: JOSIAH.lifeStory })
  await portrait(owner, josiah.id, 'josiah-portrait.jpg')
  for (const { file, ...texts } of JOSIAH_PHOTOS) {
    await media(owner, josiah.id, 'IMAGE', file, 'image/jpeg', texts)
  }
  const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)
  await owner.call('POST', `/api/memorials/${josiah.id}/funeral-events`, {
    ...JOSIAH_GATHERING,
    dateTime: `${inTenDays}T10:00`,
  })
  const inviteLink = await inviteAndWrite(owner, url, josiah.id, JOSIAH_MESSAGES)

  const draft = await owner.call<Memorial>('POST', '/api/memorials', DRAFT)
  return {
    adminSecret,
    adminCookie: admin.cookie,
    publicSlug: DEMO.publicSlug,
    publicId: tendai.id,
    inviteLink,
    inviteId: josiah.id,
    draftId: draft.id,
  }
}

type Person = { email: string; firstName: string; lastName: string }

/** Registers an account, confirms its address from the mail, and signs in. */
export async function account(
  url: string,
  sandboxUrl: string,
  person: Person,
  ip?: string,
): Promise<ProductClient> {
  const client = new ProductClient(url, ip)
  await client.call('POST', '/api/auth/register', { ...person, password: DEMO.password })
  const { text } = await waitForMail(sandboxUrl, person.email)
  const token = /\/verify-email\/([\w-]+)/u.exec(text)?.[1]
  if (!token) throw new Error(`No link in the mail to ${person.email}`)
  await client.call('GET', `/api/auth/verify-email/${token}`)
  await client.call('POST', '/api/auth/login', { email: person.email, password: DEMO.password })
  return client
}

/** Sets up an authenticator app, as an admin does before the console opens. Returns its secret. */
async function authenticatorOf(admin: ProductClient): Promise<string> {
  const { secret } = await admin.call<NewAuthenticator>('POST', '/api/account/authenticator/prepare')
  const code = codeAt(fromBase32(secret), stepAt(Date.now()))
  await admin.call('POST', '/api/account/authenticator', { code })
  return secret
}

type Basics = { honoureeFullName: string; title: string; dateOfBirth: string; dateOfDeath: string }

/** Pays with a test card. The payment stays a credit for a later memorial. Returns its id. */
export async function pay(owner: ProductClient, sandboxUrl: string): Promise<string> {
  const intent = await owner.call<PaymentIntent>('POST', '/api/stripe/create-payment-intent', {})
  const id = intent.clientSecret.split('_secret_')[0] ?? ''
  const confirmed = await fetch(`${sandboxUrl}/v1/payment_intents/${id}/confirm`, {
    method: 'POST',
    body: new URLSearchParams({
      key: 'pk_test_sandbox',
      client_secret: intent.clientSecret,
      payment_method: 'pm_card_visa',
    }),
  })
  if (!confirmed.ok) throw new Error(`The demo's card was declined: ${await confirmed.text()}`)
  await owner.call('POST', `/api/payments/${intent.paymentId}/sync`)
  return intent.paymentId
}

/** Pays with a test card and creates the memorial that it pays for. */
export async function paidMemorial(
  owner: ProductClient,
  sandboxUrl: string,
  basics: Basics,
): Promise<Memorial> {
  await pay(owner, sandboxUrl)
  const { honoureeFullName, title, dateOfBirth, dateOfDeath } = basics
  return owner.call<Memorial>('POST', '/api/memorials', { honoureeFullName, title, dateOfBirth, dateOfDeath })
}

async function portrait(owner: ProductClient, memorialId: string, file: string): Promise<void> {
  await owner.upload(`/api/memorials/${memorialId}/profile-image`, resolve(MEDIA, file), 'image/jpeg')
}

/** Uploads one file. Returns the id of the media item. */
async function media(
  owner: ProductClient,
  memorialId: string,
  type: 'IMAGE' | 'VIDEO' | 'AUDIO',
  file: string,
  mimeType: string,
  texts: { caption?: string; alt?: string },
): Promise<string> {
  const path = `/api/memorials/${memorialId}/media/upload`
  const { id } = await owner.upload<MediaUploaded>(path, resolve(MEDIA, file), mimeType, { type })
  await owner.call('PATCH', `/api/media/${id}`, texts)
  return id
}

/** Uploads the poster of a video. */
async function poster(owner: ProductClient, mediaId: string, file: string): Promise<void> {
  const response = await owner.send('PUT', `/api/media/${mediaId}/poster`, readFileSync(resolve(MEDIA, file)))
  if (!response.ok) throw new Error(`The poster ${file} was refused: ${await response.text()}`)
}

/** Makes the memorial invite-only. Returns the invitation link and its token. */
export async function openToInvited(
  owner: ProductClient,
  memorialId: string,
): Promise<{ inviteLink: string; token: string }> {
  await owner.call('PATCH', `/api/memorials/${memorialId}/privacy`, { privacy: 'INVITE' })
  const { inviteLink } = await owner.call<{ inviteLink: string }>(
    'GET',
    `/api/memorials/${memorialId}/invite-link`,
  )
  return { inviteLink, token: inviteLink.split('/invite/')[1] ?? '' }
}

/** A relative who opened the invitation and gave a name. Returns their client and contributor token. */
export async function relativeOf(
  url: string,
  token: string,
  displayName: string,
  ip?: string,
): Promise<{ relative: ProductClient; authToken: string }> {
  const relative = new ProductClient(url, ip)
  const { authToken } = await relative.call<ContributorSession>('POST', `/api/invite/${token}/session`, {
    displayName,
    email: '',
  })
  return { relative, authToken }
}

/** Makes the memorial invite-only and posts the messages as invited relatives. Returns the invitation link. */
async function inviteAndWrite(
  owner: ProductClient,
  url: string,
  memorialId: string,
  messages: [name: string, body: string][],
): Promise<string> {
  const { inviteLink, token } = await openToInvited(owner, memorialId)
  for (const [displayName, body] of messages.toReversed()) {
    const { relative } = await relativeOf(url, token, displayName)
    await relative.call('POST', `/api/memorials/${memorialId}/comments`, { body })
  }
  return inviteLink
}
