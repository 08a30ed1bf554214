/** Texts for people whom an owner named, and for owners who are asked whether they are there. */
export const claimMessages = {
  // The page of somebody who was named.
  askTitle: 'Ask for this memorial',
  askText:
    'The owner of a memorial can name people who may take it over when they can’t look after it any more. If you were named, you can ask for it here.',
  askWhat:
    'We then write to the owner three times in 30 days, and tell the others who look after the memorial. If the owner doesn’t answer, we write to you, and you can take it over.',
  askButton: 'Ask for the memorial',
  notAsked: 'This didn’t work',
  asked: (email: string) =>
    `Thank you. If the owner named ${email}, we’ve written to them now. We’ll write to you when you can take the memorial over: in 30 days, unless they answer.`,
  needsAccount:
    'Please sign in, or make an account, with the email address that the owner knows. You come back here afterwards.',
  claimTitle: (name: string) => `Take over the memorial of ${name}`,
  claimText: (owner: string) =>
    `${owner} asked that you may look after this memorial, and hasn’t answered us. You can become its owner now. ${owner} stays among those who look after it. If they come back within 90 days, they can take it back.`,
  claimButton: 'Take it over',
  notClaimed: 'This didn’t work',
  notOpen: 'You can’t take over this memorial now. Somebody else may have done so, or its owner is back.',
  // The page of the mail's link.
  stillHereTitle: 'Are you still there?',
  stillHereText: 'One press tells us that you’re there. Nothing about your memorial changes then.',
  stillHereButton: 'I’m still here',
  stillHereDoneTitle: 'Thank you',
  stillHereDoneText:
    'It’s good to know that you’re there. We’ve stopped asking, and nothing has changed. If somebody has taken your memorial over already, please sign in: you can take it back.',
  stillHereBack: 'Go to my memorials',
} as const
