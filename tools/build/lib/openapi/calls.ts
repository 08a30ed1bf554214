import type { api } from '../../../../src/shared/api.ts'
import { MEDIA_MIME_TYPES, MEDIA_TYPES } from '../../../../src/shared/media.ts'

/** The part of JSON Schema 2020-12, which OpenAPI 3.1 uses, that this folder reads. */
export type JsonSchema = {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  [keyword: string]: unknown
}

/** For each kind of access: a description, and the security schemes of which a call needs one. '' means none is needed. */
export const ACCESS = {
  anyone: ['Anyone.', ''],
  account: ['Whoever is signed in.', 'session'],
  admin: ['Admins. Behind Cloudflare Access where that is set up.', 'session'],
  viewer: [
    'Whoever may look at the memorial: for a public one everybody.',
    '',
    'session',
    'contributor',
    'invitation',
  ],
  contributor: [
    'The owner, and those who came by the invitation, each for what they may do.',
    'session',
    'contributor',
  ],
  owner: ['The owner of the memorial, and admins.', 'session'],
  stripe: ['Stripe.', 'stripe'],
} as const
export type Who = keyof typeof ACCESS

type Call = {
  noun: string
  who: Who
  /** Request bodies other than JSON, by media type. */
  sends?: Record<string, JsonSchema>
  /** Media types of a response other than JSON. */
  gives?: readonly string[]
  /** Request headers. One that ends with `?` is optional. */
  reads?: Record<string, string>
  /** Response headers. */
  answers?: Record<string, string>
}

const FILE = { type: 'string', contentMediaType: 'application/octet-stream' }
const form = (fields: Record<string, JsonSchema> = {}, ...required: string[]) => ({
  'multipart/form-data': {
    type: 'object',
    properties: { file: FILE, ...fields },
    required: ['file', ...required],
  },
})
const TEXT = { type: 'string' }
const TUS = { 'Tus-Resumable': 'Always `1.0.0`.' }
const KEY = {
  'Idempotency-Key?':
    'A UUID of the client. The same key from the same person gives the same answer and one row.',
}
const EXPIRES = { 'Upload-Expires': 'When the upload is given up if nothing comes (HTTP date).' }
const PROGRESS = {
  'Upload-Offset': 'Bytes that are safe on the server.',
  'Nhaka-Media-Id': 'The medium, once the file is whole.',
  ...EXPIRES,
}

const calls = <N extends string>(noun: string, who: Who, ...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, { noun, who }])) as Record<N, Call>

/** What `api` does not contain about a call: who may make it, its headers, and bodies other than JSON. */
export const CALLS: Record<keyof typeof api, Call> = {
  ...calls('Accounts', 'anyone', 'register', 'login', 'logout', 'verifyEmail', 'resendVerification'),
  ...calls('Accounts', 'anyone', 'forgotPassword', 'resetPassword'),
  ...calls('Accounts', 'account', 'currentUser', 'updateAccount', 'changePassword', 'signOutEverywhere'),
  ...calls('Accounts', 'account', 'deleteAccount'),
  exportAccount: { noun: 'Accounts', who: 'account', gives: ['application/json'] },

  ...calls('Memorials', 'account', 'dashboard', 'deletedMemorials', 'createMemorial'),
  ...calls('Memorials', 'viewer', 'memorial', 'memorialBySlug'),
  ...calls('Memorials', 'owner', 'updateMemorial', 'updatePrivacy', 'deleteMemorial', 'restoreMemorial'),
  ...calls('Memorials', 'owner', 'memorialAudit', 'exportPlan'),
  memorialExport: { noun: 'Memorials', who: 'owner', gives: ['application/zip'] },

  ...calls('Funeral', 'owner', 'saveFuneral', 'addFuneralEvent', 'updateFuneralEvent', 'deleteFuneralEvent'),
  ...calls('Funeral', 'viewer', 'funeralEvents'),
  uploadProgramme: { noun: 'Funeral', who: 'owner', sends: form({ eventId: TEXT }) },
  programme: { noun: 'Funeral', who: 'viewer', gives: ['application/pdf'] },
  calendar: { noun: 'Funeral', who: 'viewer', gives: ['text/calendar'] },

  ...calls('Location', 'owner', 'saveLocation', 'locationQr', 'plaque'),
  locationMap: { noun: 'Location', who: 'viewer', gives: ['image/png', 'image/jpeg', 'image/webp'] },

  uploadMedia: {
    noun: 'Media',
    who: 'contributor',
    sends: form({ type: { ...TEXT, enum: [...MEDIA_TYPES] }, contributorToken: TEXT }, 'type'),
    reads: KEY,
  },
  uploadProfileImage: { noun: 'Media', who: 'owner', sends: form(), reads: KEY },
  uploadOptions: {
    noun: 'Media',
    who: 'viewer',
    answers: {
      'Tus-Version': 'Versions of the protocol.',
      'Tus-Extension': 'Its extensions that are there.',
      'Tus-Max-Size': 'Bytes of the largest file.',
    },
  },
  createUpload: {
    noun: 'Media',
    who: 'contributor',
    reads: {
      ...TUS,
      ...KEY,
      'Upload-Length': 'Bytes of the whole file.',
      'Upload-Metadata':
        '`type` (IMAGE, VIDEO or AUDIO), `filename`, `filetype`: each a key and Base64 text.',
    },
    answers: { Location: 'Path of the upload.', ...EXPIRES },
  },
  uploadState: { noun: 'Media', who: 'contributor', reads: TUS, answers: PROGRESS },
  appendUpload: {
    noun: 'Media',
    who: 'contributor',
    sends: { 'application/offset+octet-stream': FILE },
    reads: { ...TUS, 'Upload-Offset': 'Where this chunk begins, in bytes.' },
    answers: PROGRESS,
  },
  deleteUpload: { noun: 'Media', who: 'contributor', reads: TUS },
  ...calls('Media', 'viewer', 'listMedia'),
  ...calls('Media', 'contributor', 'updateMedia', 'deleteMedia'),
  uploadPoster: {
    noun: 'Media',
    who: 'contributor',
    sends: Object.fromEntries(MEDIA_MIME_TYPES.IMAGE.map((type) => [type, FILE])),
  },
  mediaStream: {
    noun: 'Media',
    who: 'viewer',
    gives: Object.values(MEDIA_MIME_TYPES).flat(),
    reads: { 'Range?': 'One range of bytes; answered by 206.' },
  },

  ...calls('Guestbook', 'viewer', 'listComments'),
  ...calls('Guestbook', 'contributor', 'deleteComment', 'likeComment', 'unlikeComment'),
  postComment: { noun: 'Guestbook', who: 'contributor', reads: KEY },

  ...calls('Invitations', 'owner', 'inviteLink', 'rotateInviteLink'),
  ...calls('Invitations', 'anyone', 'invite', 'createContributorSession'),
  ...calls('Invitations', 'contributor', 'contributorSession'),

  ...calls('Payments', 'account', 'createPaymentIntent', 'syncPayment', 'initPayment', 'userPayments'),
  stripeWebhook: {
    noun: 'Payments',
    who: 'stripe',
    sends: { 'application/json': { type: 'object', description: 'An event, as Stripe sends it.' } },
    reads: { 'Stripe-Signature': 'By which the call is known to come from Stripe.' },
  },

  ...calls('Admin', 'admin', 'adminMemorials', 'adminStats', 'adminActivity'),
  ...calls('Admin', 'admin', 'adminTokens', 'generateTokens'),
  ...calls('Admin', 'admin', 'adminPayments', 'refundPayment', 'adminMessages', 'adminMails', 'resendMail'),
  ...calls('Admin', 'admin', 'adminAudit', 'adminSystem', 'adminRemoveMemorial', 'adminRestoreMemorial'),
  ...calls('Admin', 'admin', 'suspendAccount', 'reinstateAccount', 'adminDeadJobs', 'resendDeadJob'),

  ...calls('Service', 'anyone', 'contact', 'config', 'health', 'healthLive', 'clientErrors'),
}
