/** Prefixes of the ids that are seen outside, one a kind. */
export const ID_PREFIX = {
  user: 'usr',
  memorial: 'mem',
  funeralEvent: 'fun',
  media: 'med',
  upload: 'upl',
  comment: 'com',
  contributor: 'con',
  payment: 'pay',
  mail: 'mail',
  contactMessage: 'msg',
  audit: 'aud',
  file: 'file',
  deadJob: 'job',
} as const
/** Names one call, job or cron run in the log. */
export const REQUEST_ID = /^req_[a-z0-9]{16}$/u
export type IdKind = keyof typeof ID_PREFIX
