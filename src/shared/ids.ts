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
} as const
export type IdKind = keyof typeof ID_PREFIX
