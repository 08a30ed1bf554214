/*
 * The words that hold a message until the family has looked, and those that never do. FOR NATIVE REVIEW: Shona and Ndebele were not
 * written by native speakers. English swearing comes from the library `obscenity`; this adds what hurts in a memorial.
 *
 * Each entry is a part of a regular expression, in lower case and plain Latin letters; it matches whole words. A tilde stands for any
 * further letters. Prefer phrases: nearly every single word is also said in love.
 */

/** What English lists call obscene and mourners say: names, food, sports, affection, ordinary Shona and Ndebele words. */
export const TENDER_ORIGINALS = new Set(
  'abo anal anus ass arse boob boonga bastard bollocks chink cock cum dick dyke fag hooker negro piss prick rape scat tit turd'.split(' '),
)

/** Of the library's words only these may begin in the middle of a word: "motherfucker", "bullshit". */
export const ANYWHERE = new Set('fuck shit cunt nigger bitch'.split(' '))

/** Blanked out before anything is looked for. */
export const ALLOWED = [
  'thief in the night', 'death is a (cruel )?thief', 'devil is a liar', 'fuk~(idz|am|ul)~', 'shitima~', 'rufu imbavha', 'rufu (i)?muroyi',
  '(lucky|silly|stubborn|old|poor) (old )?(bugger|bastard|sod|devil|fool)', 'took the piss', 'kick(s|ed)? ass', 'your shit together',
]

const WHO = '(he|she|they|you|u|this (man|woman|family)|that (man|woman)|(your|his|her) (mother|father|mum|mom|dad|brother|sister))'
const IS = "(is|was|are|were|r|'re|'s)"
const BAD = '(thief|liar|witch|wizard|crook|cheat|fraud|murderer|killer|pervert|monster|prostitute|idiot|moron|pig|coward|abuser|adulterer|disgrace)'

const ENGLISH = [
  `${WHO} ${IS} (all |just |only )?(such )?(an? )?(\\w+ )?${BAD}s?`,
  '(what|such) an? (idiot|moron|disgrace|fool of a family)', 'family of (thieves|liars|witches|idiots|pigs|dogs)', 'stupid (family|people|bitch|idiots?)',
  'idiots?', 'morons?', 'rapists?', 'raped', 'prostitutes?', 'murderers?', 'faggots?', 'dickheads?', 'suck my ~', 'assholes?', 'arseholes?', 'ass hole', 'bastards',
  '(you|that|the|this) bastard', 'bastard (got|deserved|family)', 'ugly (pig|witch|dog|cow)', 'useless (drunk|man|woman|father|mother)',
  'good riddance', '(rot|burn|roast) in (hell|eternity)', 'go to hell', 'see you in hell', '(he|she|you) (got|had) what (he|she|you) deserved',
  '(he|she|you|they) deserved (to die|it|this|death)', "(glad|happy|pleased|great) (that )?(he|she|you|they)( (is|are|r)|'s|'re) (dead|gone for good)",
  'better (off )?without (him|her|you)', '(finally|already) dead', '(wish|should have|should) (\\w+ ){0,2}died (sooner|earlier|long ago)',
  'nobody (loved|liked|will miss|misses|cares about) (him|her|you)', '(people|you|they|family) (are|is) (trash|garbage|scum|dogs|pigs|filth)', 'scum',
  '(spit|dance|piss|shit) on (your|his|her|their) grave', '(he|she|you) (is|was|died|has|had) (\\w+ )?(of )?aids', 'slept with (everyone|everybody|my husband|my wife)',
  'beat (his|your) (wife|children)', 'lol', 'serves (you|him|her|them) right', 'kill (yourself|urself|ur self)', 'hang yourself',
  '(i|we)( ?\'ll| will| shall| gonna| am going to| are going to) (kill|find|hurt|get|destroy|beat|burn) (you|u|him|her|them|your)~', 'you( a|\')re next', 'you will (be next|pay|suffer|regret)',
  '(know|found) where (you|u) (live|stay|sleep)', 'watch your back', 'coming for you', '(children|family|house|son|daughter) will (suffer|burn|pay|die|be next)',
  '(pay|bring back) (what|the money) (he|she|you) (owe|stole|took)~', 'nobody can protect you',
  '(quick|fast|urgent|instant|personal|payday|cash|business|soft) loans?', 'loans? (available|at|from|offer|without)', '(offer|need|give|apply for|get) (\\w+ )?(an? )?(\\w+ )?loans?( (at|today|now|here))',
  'need an? (urgent |quick )?loan', 'bank details', 'claim your (prize|money|reward)', '(you )?have won', 'barrister', '(usd|us dollars|million dollars)',
  'bitcoin', 'crypto(currency)?', 'forex (trading|signals?|broker|group)', 'trading signals?', 'double your (money|cash|investment)', 'guaranteed (profit|returns?|income)', '(profit|returns?) guaranteed',
  'earn (up to )?\\$?\\d+', 'work(ing)? from home', 'click (here|this link|the link|below)', 'inbox me', 'dm me', '(serious|sugar) (partner|mummy|daddy)', 'casino', 'free spins', 'bet now', 'betting tips',
  'viagra', 'cialis', 'hot girls', '(visa|passport|documents?|certificates?|licen[cs]es?) (for sale|without)', 'essay writing', 'weight ?loss', 'lose \\d+ ?kgs?',
  '(affordable|cheap|quality|best) (coffins?|caskets?|tombstones?|funerals?|flights?|prices?|graves?)', '(coffins?|caskets?|tombstones?) (and \\w+ )?(from|on special|for sale|available|prices?)', '(granite|tombstone) (and tombstone )?needs',
  'funeral (cover|plan|policy|insurance) from', 'hearse hire', 'free (delivery|quotes?|quotation)', 'limited offer', '(order|book|call|apply|join|buy) (now|today)', 'no waiting period', '\\d+ ?% discount', 'special offer',
  'wholesale prices', 'best prices', 'same day (payout|cash)', 'payment plans? available', 'from \\$ ?\\d+', 'visit our (showroom|shop|website|office)',
  '(powerful|great|spiritual|traditional) (traditional |spiritual |spell )?(healer|caster|sangoma|herbalist) (here|bring|brings|consult|prof|dr|who|to|in|available|call)', '(powerful|spiritual) (traditional )?healers?', 'consult (the|our|dr|prof)', 'lost lovers?', '(love|money|magic) (spells?|potions?|rituals?|rings?)',
  'short boys', 'penis', 'illuminati', 'seed money', 'money spells?', 'our prophet',
]

/** FOR NATIVE REVIEW. */
const SHONA = [
  '(wa)?(m)?uroyi', '(va)royi', '~(we|ye|ne)?varoyi', 'hure', 'mahure', '(ma)?pfambi', 'mhata~', 'mboro', 'machende', 'beche', 'matuzvi', 'duzvi', 'kusvira', 'svir(a|wa)', 'dako rako',
  'imbwa (yemunhu|dzevanhu)', '(uri|waiva|vaiva|makanga muri|muri) (imbwa|mbavha|benzi|hure|dofo|rombe|mbwende)', 'benzi (re|ra)munhu', 'mapenzi (e|a)vanhu', '(iwe|wena) benzi', 'rombe', 'dofo',
  '(enda|endai|pinda) (ku)?(gehena|hero)', '(enda )?ku(gehena|hero)', 'ngaatsve~', '(takafara|ndafara|tafara) (kuti|nekuti) (wa|a|va)fa', 'zvakakodzera kufa~', 'wafa zvakanaka', 'rega afe',
  '(ndi|ti)chakuuray~', '(u|mu)chafa', '(tinoziva|ndinoziva) kwa(u|mu)nogara', 'kana kuti muchaona', '(u|mu)chazviona', 'tichakurov~', 'ndichakurov~',
  'zvikwereti', 'kweretai? mari', 'tinokweretesa~', 'hwina(i)? mari', '(isa|bhadhara) \\$?\\d+ (u|mu)tore~', 'mari inouya', 'ngaainbox~', 'fona(i)? (nhasi|izvozvi)', 'mitengo yakaderera', '~mitengo yakaderera', '~kachipa',
  "n ?'?anga ine~ simba", "n'anga (ine|inodzosa|ye)~", '~dzosa (mudiwa|murume|mukadzi)~', 'mushonga we(mari|mhanza|rudo)', 'chikwambo', 'kusimbisa chirume', 'muti wemari',
]

/** FOR NATIVE REVIEW. */
const NDEBELE = [
  '(u|m|ngu)?mthakathi', '~bathakathi', '(yi|si)?sifebe', '~isifebe', 'izifebe', 'uyinja', 'lizinja~', '(u)?mgodoyi', 'msunu', '~kanyoko', 'amasimba', 'isiphukuphuku', 'isithutha', '(li)?isela elikhulu', 'lisela',
  '(yana|hamba) esihogweni', 'kuhle (u|e)file', 'sithabile ukuthi (u|ba)file', 'ngizakubulala', 'siza(ku|li)bulala', 'uzakufa', 'lizakufa', '(siya|ngiya)kwazi lapho ohlala~',
  'siboleka imali', 'imali ?mboleko', 'imalimboleko', 'wina imali', 'thumela inombolo', 'thinta whatsapp', 'sifona (lamuhla|khathesi)', '~shibhileyo', 'inyanga elamandla', '~buyisa isithandwa~', 'umuthi (we|lo)~',
]

export const HELD = [...ENGLISH, ...SHONA, ...NDEBELE]
