/** Query parameter of a memorial's page: what a form without script has just added. Alone here, because the service worker is small. */
export const ADDED_PARAMETER = 'added'
