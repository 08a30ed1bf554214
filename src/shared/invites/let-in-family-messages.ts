/** Texts for the family about people who ask to be let in. */
export const letInFamilyMessages = {
  heading: 'Who asks to be let in',
  intro:
    'They found the memorial’s address and ask to see it. “Let in” mails them a link of their own. “Not now” tells them nothing.',
  whilePrivate: 'The memorial is private, so nobody can come in. Change it to Invite-only to let people in.',
  full: 'That’s as many as we keep. Nobody else can ask until you’ve decided about some of them.',
  letIn: 'Let in',
  notNow: 'Not now',
  isLetIn: 'They get an email with a link of their own',
  isNotNow: 'Nobody is told',
  notDecided: 'This didn’t work',
  settingTitle: 'Asking to be let in',
  question: 'Who may ask you to be let in?',
  choices: {
    NOBODY: { name: 'Nobody' },
    INVITE_ONLY: {
      name: 'Whoever has the address, while it’s invite-only',
      explanation: 'They see nothing of the memorial. You decide about each.',
    },
    ALSO_PRIVATE: {
      name: 'Also while it’s private',
      explanation: 'You can let them in once it’s invite-only or public.',
    },
  },
} as const
