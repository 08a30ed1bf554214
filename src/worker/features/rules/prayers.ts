/*
 * The beginnings of prayers, psalms, hymns and poems that many people leave in many memorials. Words with one of them don't count as
 * repeated. FOR NATIVE REVIEW: no native speaker has read the lines in Shona and Ndebele yet. Written as english-words.ts is.
 */
export const PRAYERS = [
  'lord is my shepherd',
  'our father,? (who|which) art in heaven',
  'our father in heaven',
  'hail mary',
  'eternal rest grant',
  'i am the resurrection and the life',
  'i can do all things through christ',
  'to everything there is a season',
  'may the road rise (up )?to meet you',
  'do not stand at my grave',
  'amazing grace',
  'god saw you (were )?getting tired',
  'inna lillahi',
  // Shona
  '(jehovha|mwari|ishe) (ndiye|ndiyo)? ?mufudzi wangu',
  'baba wedu (muri|uri) kudenga',
  'kwaziwai mariya',
  // Ndebele
  '(u)?(nkosi|jehova|nkulunkulu) (ingumelusi|ungumelusi|ungumalusi) wami',
  'baba wethu o?sezulwini',
]
