/** The name of the service, as it stands after the title of every document (look.md 9). */
export const SITE_NAME = 'Keeping Legacies Alive'
