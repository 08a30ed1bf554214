import type { Privacy } from '#shared/memorials/memorials.ts'

/** SVG path of each privacy setting's icon, in a 24 × 24 box: padlock, people, eye. */
export const PRIVACY_ICONS: Record<Privacy, string> = {
  PRIVATE: 'M7 10V7a5 5 0 0 1 10 0v3h1a1 1 0 0 1 1 1v9H5v-9a1 1 0 0 1 1-1h1Zm2 0h6V7a3 3 0 0 0-6 0v3Z',
  INVITE:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm7 0a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2 20v-2c0-3 3-5 7-5s7 2 7 5v2H2Zm16 0v-2c0-1.7-.6-3.1-1.7-4.2 3.2.2 5.7 1.7 5.7 4.2v2h-4Z',
  LOCKED:
    'M12 5c5 0 8.5 4 10 7-1.5 3-5 7-10 7S3.5 15 2 12c1.5-3 5-7 10-7Zm0 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-2a2 2 0 1 1 0-4 2 2 0 0 1 0 4Z',
}

/** What the owner chooses between. The dashboard's badges have other words (`PrivacyPill`), as has the console's. */
export const PRIVACY_CHOICES = {
  PRIVATE: { name: 'Private', explanation: 'Only you can see it.' },
  INVITE: {
    name: 'Invite-only',
    explanation: 'Family and friends with your invitation can see it and add to it.',
  },
  LOCKED: { name: 'Public', explanation: 'Anyone with the link can see it. Nobody can add to it.' },
} satisfies Record<Privacy, { name: string; explanation: string }>
