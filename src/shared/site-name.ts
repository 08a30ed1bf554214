/** The name of the service, which ends every document title. */
export const SITE_NAME = 'Keeping Legacies Alive'
