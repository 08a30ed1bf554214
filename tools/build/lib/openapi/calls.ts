import type { api } from '../../../../src/shared/api.ts'
import { MEDIA_MIME_TYPES, MEDIA_TYPES } from '../../../../src/shared/media/media-types.ts'

/** The part of JSON Schema 2020-12, which OpenAPI 3.1 uses, that this folder reads. */
export type JsonSchema = {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  [keyword: string]: unknown
}
export type Name = keyof typeof api
type ByCall<T> = Partial<Record<Name, T>>

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
  provider: ['Stripe or Paynow.', 'provider'],
} as const
export type Who = keyof typeof ACCESS

const calls = <N extends Name>(noun: string, who: Who, ...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, { noun, who }])) as Record<N, { noun: string; who: Who }>

/** Who may make a call, and the noun under which it is listed. */
export const CALLS: Record<Name, { noun: string; who: Who }> = {
  ...calls('Accounts', 'anyone', 'register', 'login', 'logout', 'resendVerification'),
  ...calls('Accounts', 'anyone', 'openVerificationLink', 'verifyEmail'),
  ...calls('Accounts', 'anyone', 'forgotPassword', 'resetPassword', 'endInvitations'),
  ...calls('Accounts', 'anyone', 'confirmEmailChange', 'undoEmailChange'),
  ...calls('Accounts', 'account', 'changeEmail'),
  ...calls('Accounts', 'account', 'currentUser', 'updateAccount', 'changePassword', 'signOutEverywhere'),
  ...calls('Accounts', 'account', 'accountSessions', 'endAccountSession', 'endOtherSessions'),
  ...calls('Accounts', 'account', 'deleteAccount', 'exportAccount'),
  ...calls('Passkeys', 'anyone', 'passkeyRequest', 'signInByPasskey', 'signInByPrintedCode'),
  ...calls('Passkeys', 'account', 'accountKeys', 'confirmByPassword', 'confirmRequest', 'confirmByPasskey'),
  ...calls('Passkeys', 'account', 'preparePasskey', 'addPasskey', 'renamePasskey', 'removePasskey'),
  ...calls('Passkeys', 'account', 'makePrintedCodes'),
  ...calls('Passkeys', 'admin', 'prepareAuthenticator', 'addAuthenticator', 'removeAuthenticator'),
  ...calls('Passkeys', 'admin', 'useAuthenticator'),
  ...calls('Memorials', 'account', 'dashboard', 'deletedMemorials', 'createMemorial'),
  ...calls('Memorials', 'viewer', 'memorial', 'memorialBySlug', 'follow'),
  ...calls('Memorials', 'owner', 'updateMemorial', 'updatePrivacy', 'deleteMemorial', 'restoreMemorial'),
  ...calls('Memorials', 'owner', 'markSeen'),
  ...calls('Memorials', 'owner', 'memorialAudit', 'exportPlan', 'memorialExport'),
  ...calls('Funeral', 'owner', 'saveFuneral', 'addFuneralEvent', 'updateFuneralEvent', 'deleteFuneralEvent'),
  ...calls('Funeral', 'owner', 'uploadProgramme'),
  ...calls('Replies', 'viewer', 'sendReply', 'ownReplies'),
  ...calls('Replies', 'anyone', 'replyByLink', 'changeReply', 'withdrawReply'),
  ...calls('Replies', 'owner', 'replyCounts', 'listReplies', 'repliesFile', 'removeReply', 'tellReplies'),
  ...calls('Funeral', 'viewer', 'funeralEvents', 'programme', 'calendar', 'announcementCard'),
  ...calls('Location', 'owner', 'saveLocation', 'locationQr', 'plaque'),
  ...calls('Location', 'viewer', 'locationMap'),
  ...calls('Media', 'owner', 'uploadProfileImage'),
  ...calls('Media', 'viewer', 'uploadOptions', 'listMedia', 'mediaStream'),
  ...calls('Media', 'contributor', 'uploadMedia', 'createUpload', 'uploadState', 'appendUpload'),
  ...calls('Media', 'contributor', 'deleteUpload', 'updateMedia', 'deleteMedia', 'uploadPoster'),
  ...calls('Guestbook', 'viewer', 'listComments'),
  ...calls('Guestbook', 'contributor', 'postComment', 'deleteComment', 'likeComment', 'unlikeComment'),
  ...calls('Removed', 'contributor', 'listRemoved', 'restoreMedia', 'restoreComment', 'removedThumbnail'),
  ...calls('Removed', 'owner', 'removeAdded', 'restoreAdded', 'deleteAdded'),
  ...calls('Guestbook', 'viewer', 'leaveMessage', 'proveMessage', 'visitorWords'),
  ...calls(
    'Removed',
    'owner',
    'listHeld',
    'showHeld',
    'declineHeld',
    'undoHeld',
    'listDecided',
    'blockContributor',
    'unblockContributor',
  ),
  ...calls('Guestbook', 'owner', 'thankComment'),
  ...calls('Reports', 'viewer', 'reportComment', 'reportMedia'),
  ...calls('Reports', 'owner', 'listReported', 'keepReported'),
  ...calls(
    'Invitations',
    'owner',
    'inviteLink',
    'rotateInviteLink',
    'listInvitations',
    'addInvitation',
    'endInvitation',
    'listContributors',
  ),
  ...calls(
    'Keepers',
    'owner',
    'followers',
    'listKeepers',
    'listFamilyActions',
    'inviteKeeper',
    'revokeKeeperInvite',
    'changeKeeper',
    'removeKeeper',
    'offerHandover',
    'endHandover',
    'acceptHandover',
    'takeBackHandover',
  ),
  ...calls('Successors', 'owner', 'listSuccessors', 'nameSuccessor', 'changeSuccession', 'removeSuccessor'),
  ...calls('Successors', 'account', 'claimable', 'askForMemorial', 'claimMemorial'),
  ...calls('Keepers', 'anyone', 'keeperInvite'),
  ...calls('Keepers', 'account', 'acceptKeeperInvite'),
  ...calls('Invitations', 'owner', 'decideLetIn'),
  ...calls('Invitations', 'anyone', 'askToBeLetIn', 'openLetIn'),
  ...calls('Invitations', 'anyone', 'invite', 'createContributorSession', 'askForCode', 'useCode'),
  ...calls('Invitations', 'contributor', 'contributorSession', 'keepAddress'),
  ...calls('Payments', 'owner', 'useCredit'),
  ...calls('Payments', 'account', 'createPaymentIntent', 'syncPayment', 'initPayment', 'userPayments'),
  ...calls('Payments', 'account', 'payByPhone', 'sendPaymentCode'),
  ...calls('Payments', 'account', 'askToPay', 'payLink', 'endPayLink', 'thankPayer', 'redeemGift'),
  ...calls('Payments', 'anyone', 'payLinkView', 'payLinkPortrait', 'giftCard', 'createGift', 'gift'),
  ...calls('Payments', 'anyone', 'payLinkByCard', 'payLinkByPhone', 'payLinkOnPaynow'),
  ...calls('Payments', 'anyone', 'syncLinkPayment', 'sendLinkPaymentCode'),
  ...calls('Payments', 'provider', 'paynowResult'),
  ...calls('Payments', 'provider', 'stripeWebhook'),
  ...calls('Admin', 'admin', 'adminMemorials', 'adminStats', 'adminActivity', 'adminTokens'),
  ...calls('Admin', 'admin', 'generateTokens', 'adminPayments', 'refundPayment', 'adminMessages'),
  ...calls('Admin', 'admin', 'adminMails', 'resendMail', 'adminAudit', 'adminSystem', 'adminDeadJobs'),
  ...calls('Admin', 'admin', 'adminRemoveMemorial', 'adminRestoreMemorial', 'resendDeadJob'),
  ...calls('Admin', 'admin', 'suspendAccount', 'reinstateAccount', 'adminOverview'),
  ...calls('Admin', 'admin', 'answerMessage', 'unanswerMessage', 'adminReports'),
  ...calls('Admin', 'admin', 'adminSuccessions', 'holdSuccession', 'releaseSuccession'),
  ...calls('Admin', 'admin', 'adminWords', 'saveWord', 'removeWord'),
  ...calls('Service', 'anyone', 'contact', 'config', 'health', 'healthLive', 'clientErrors'),
}

const TEXT = { type: 'string' }
const FILE = { type: 'string', contentMediaType: 'application/octet-stream' }
const form = (fields: Record<string, JsonSchema> = {}, ...required: string[]) => ({
  'multipart/form-data': {
    type: 'object',
    properties: { file: FILE, ...fields },
    required: ['file', ...required],
  },
})

/** Request bodies other than JSON, by media type. */
export const SENDS: ByCall<Record<string, JsonSchema>> = {
  uploadProgramme: form({ eventId: TEXT }),
  uploadMedia: form({ type: { ...TEXT, enum: [...MEDIA_TYPES] }, contributorToken: TEXT }, 'type'),
  uploadProfileImage: form(),
  appendUpload: { 'application/offset+octet-stream': FILE },
  uploadPoster: Object.fromEntries(MEDIA_MIME_TYPES.IMAGE.map((type) => [type, FILE])),
  stripeWebhook: { 'application/json': { type: 'object', description: 'An event, as Stripe sends it.' } },
  paynowResult: {
    'application/x-www-form-urlencoded': { type: 'object', description: 'A status, as Paynow posts it.' },
  },
}

/** Media types of responses other than JSON. */
export const GIVES: ByCall<readonly string[]> = {
  exportAccount: ['application/json'],
  memorialExport: ['application/zip'],
  programme: ['application/pdf'],
  calendar: ['text/calendar'],
  repliesFile: ['text/csv'],
  announcementCard: ['image/jpeg'],
  locationMap: ['image/png', 'image/jpeg', 'image/webp'],
  mediaStream: Object.values(MEDIA_MIME_TYPES).flat(),
  payLinkPortrait: ['image/webp', 'image/avif'],
  giftCard: ['image/jpeg'],
}

const TUS = { 'Tus-Resumable': 'Always `1.0.0`.' }
const KEY = {
  'Idempotency-Key?':
    'A UUID of the client. The same key from the same person gives the same answer and one row.',
}
const METADATA = '`type` (IMAGE, VIDEO or AUDIO), `filename`, `filetype`: each a key and Base64 text.'

/** Request headers. One that ends with `?` is optional. */
export const READS: ByCall<Record<string, string>> = {
  uploadMedia: KEY,
  uploadProfileImage: KEY,
  postComment: KEY,
  leaveMessage: KEY,
  sendReply: KEY,
  createUpload: { ...TUS, ...KEY, 'Upload-Length': 'Bytes of the whole file.', 'Upload-Metadata': METADATA },
  uploadState: TUS,
  appendUpload: { ...TUS, 'Upload-Offset': 'Where this chunk begins, in bytes.' },
  deleteUpload: TUS,
  mediaStream: { 'Range?': 'One range of bytes; answered by 206.' },
  stripeWebhook: { 'Stripe-Signature': 'By which the call is known to come from Stripe.' },
}

const EXPIRES = { 'Upload-Expires': 'When the upload is given up if nothing comes (HTTP date).' }
const PROGRESS = {
  'Upload-Offset': 'Bytes that are safe on the server.',
  'Nhaka-Media-Id': 'The medium, once the file is whole.',
  ...EXPIRES,
}

/** Response headers. */
export const ANSWERS: ByCall<Record<string, string>> = {
  uploadOptions: {
    'Tus-Version': 'Versions of the protocol.',
    'Tus-Extension': 'Its extensions that are there.',
    'Tus-Max-Size': 'Bytes of the largest file.',
  },
  createUpload: { Location: 'Path of the upload.', ...EXPIRES },
  uploadState: PROGRESS,
  appendUpload: PROGRESS,
}
