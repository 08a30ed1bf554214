/** Words about ending mails. Apart from the others, because only one screen loads them. */
export const unsubscribeMessages = {
  title: 'Stop these emails?',
  text: 'We’ll no longer write to you when something waits at this memorial: everything stays there until you look. If the memorial isn’t paid for, we won’t write before we remove it, either.',
  button: 'Stop these emails',
  doneTitle: 'We’ve stopped these emails',
  doneText:
    'We won’t write to you any longer when something waits at this memorial, or before we remove it because it isn’t paid for. To switch the emails on again, open the memorial, and choose how often under “Messages from visitors”.',
  back: 'Go to my memorials',
} as const
