/** Prefixes of public ids, one per kind. */
export const ID_PREFIX = {
  user: 'usr',
  registration: 'reg',
  session: 'ses',
  /** A change of an account's mail address. */
  emailChange: 'emc',
  passkey: 'pky',
  memorial: 'mem',
  funeralEvent: 'fun',
  /** Who comes to a gathering. */
  reply: 'rpl',
  media: 'med',
  upload: 'upl',
  comment: 'com',
  report: 'rep',
  contributor: 'con',
  /** Somebody who asked for mails about a memorial. */
  follower: 'fol',
  /** An invitation to look after a memorial. */
  keeperInvite: 'kin',
  /** A change of a memorial's owner, offered or made. */
  handover: 'hov',
  /** Somebody who may ask for a memorial after its owner. */
  successor: 'suc',
  letInRequest: 'lir',
  /** What somebody did on one day who looks after a memorial. */
  familyAction: 'fac',
  /** An invitation link, by a pseudonymous id that isn't its token. */
  link: 'lnk',
  /** Things that one call removed together. */
  removal: 'rmv',
  order: 'ord',
  gift: 'gif',
  payment: 'pay',
  /** A line of a payment's history. */
  paymentStatus: 'pst',
  mail: 'mail',
  contactMessage: 'msg',
  audit: 'aud',
  file: 'file',
  deadJob: 'job',
} as const
/** Identifies one call, job or cron run in the log. */
export const REQUEST_ID = /^req_[a-z0-9]{16}$/u
export type IdKind = keyof typeof ID_PREFIX

/** On a message stored offline: the id of its author. The server posts it under that name or not at all. */
export const WRITTEN_BY_HEADER = 'Nhaka-Written-By'

/** The name of a contributor session that may look but not add. */
export const GUEST_NAME = 'Guest Visitor'
