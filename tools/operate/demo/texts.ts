/** The families of the demo. All people here are fictional. */
export const TENDAI = {
  honoureeFullName: 'Tendai Rudo Moyo',
  title: 'She taught half of Mutare to read.',
  dateOfBirth: '1948-03-14',
  dateOfDeath: '2026-06-02',
  lifeStory: `<p>Tendai was born in Chipinge, the third of seven children, and walked nine kilometres to school each morning with her shoes in her hands so that they would last.</p>
<p>In 1971 she began teaching at Sakubva. For thirty-four years her Grade One class was the first room many children in the township ever called their own. She kept a tin of chalk ends that were too short to write with, and made every one of them write.</p>
<h2>At home</h2>
<p>She married Elias in 1974, in a borrowed dress and her own good shoes. They raised four children and, when her sister died, three more. There was always one extra plate on the table, and it was always needed.</p>
<p>Her garden fed the street. Rape, covo, tomatoes, and along the fence the sweet peas that she said were for nobody and cut for everybody.</p>
<h2>What she always said</h2>
<blockquote><p>Read it again, and this time believe it.</p></blockquote>
<p>She sang alto at St Agnes for fifty years, kept a jar of sweets on the top shelf, and pretended not to know who was taking them. She died at home in Sakubva, with the window open and the radio on.</p>`,
}

type DemoPhoto = { file: string; caption?: string; alt: string }

export const TENDAI_PHOTOS: DemoPhoto[] = [
  {
    file: 'tendai-01-sakubva-1971.jpg',
    caption: 'Her first classroom, Sakubva, 1971',
    alt: 'Tendai writing on the chalkboard in front of her first class at Sakubva, 15 February 1971',
  },
  {
    file: 'tendai-02-road-to-school.jpg',
    caption: 'The road to school, shoes in hand',
    alt: 'A girl in school uniform walking a red road between kopjes and msasa trees, her shoes in her hand',
  },
  {
    file: 'tendai-03-wedding-1974.jpg',
    caption: 'Tendai and Elias, 1974',
    alt: 'Tendai and her husband outside the church on their wedding day in 1974, she with flowers, he in a dark suit',
  },
  {
    file: 'tendai-04-sweets.jpg',
    caption: 'The jar on the top shelf',
    alt: 'A small child reaching up for the jar of sweets on the top shelf',
  },
  {
    file: 'tendai-05-garden.jpg',
    caption: 'The garden that fed the street',
    alt: 'Tendai from behind in her vegetable garden, with a basket and a watering can, walking towards the house',
  },
  {
    file: 'tendai-06-kitchen.jpg',
    caption: 'Her kitchen',
    alt: 'Her kitchen table: a green enamel kettle, two cups of tea and a loaf of bread by the window',
  },
  {
    file: 'tendai-07-choir.jpg',
    caption: 'The choir at St Agnes',
    alt: 'The church choir seen from behind, singing to their conductor',
  },
  {
    file: 'tendai-08-tea-hills.jpg',
    caption: 'Honde Valley, where her mother was born',
    alt: 'Women picking tea in the Eastern Highlands below a white house with a red roof',
  },
  {
    file: 'tendai-09-family-table.jpg',
    caption: 'Sunday',
    alt: 'The family table from above: a pot of sadza, relish, and six hands at their plates',
  },
  {
    file: 'tendai-10-stone.jpg',
    caption: 'The stone by the gate',
    alt: 'A green stone carving of a mother holding a child, with msasa trees behind it',
  },
  {
    file: 'tendai-11-album.jpg',
    caption: 'Her own album',
    alt: 'Two hands holding an open photo album with old pictures in it',
  },
  {
    file: 'tendai-12-msasa.jpg',
    caption: 'Msasa in September',
    alt: 'Msasa trees in red spring leaf around a granite kopje',
  },
]

export const JOSIAH_PHOTOS: DemoPhoto[] = [
  {
    file: 'josiah-03-verandah.jpg',
    alt: 'His chair on the verandah, his hat on its back and the radio beside it',
  },
  { file: 'josiah-02-cattle.jpg', alt: 'Josiah with his stick, watching three cows by the dam at sunset' },
  {
    file: 'josiah-01-workbench.jpg',
    alt: "Josiah's hand on a wooden plane at his workbench, a small stool beside it",
  },
]

export const TENDAI_SERVICES = [
  {
    kind: 'CHURCH',
    dateTime: '2026-06-06T08:00',
    timeZone: 'Africa/Harare',
    venueName: 'St Agnes Church',
    addressLine: 'Chikanga Road',
    city: 'Mutare',
    country: 'Zimbabwe',
  },
  {
    kind: 'BURIAL',
    title: 'Burial service',
    dateTime: '2026-06-06T10:00',
    timeZone: 'Africa/Harare',
    venueName: 'Yeovil Cemetery',
    city: 'Mutare',
    country: 'Zimbabwe',
    notes: 'Tea afterwards at the house. Please bring a photograph if you have one.',
  },
]

/** Still ahead whenever the demo is made: `dateTime` is 10:00 in Harare, ten days later. */
export const JOSIAH_GATHERING = {
  kind: 'UNVEILING',
  venueName: 'Vengere Cemetery',
  city: 'Rusape',
  country: 'Zimbabwe',
  wayThere: 'From the Total garage take the second road on the left, up to the blue gate.',
  bring: 'A hat, and something to sit on.',
  takesReplies: true,
  capacity: 80,
}

export const TENDAI_MESSAGES: [name: string, body: string][] = [
  ['Farai Chikomo', 'Zororai murugare, mudzidzisi wedu.'],
  [
    'Rutendo Dube',
    'Gogo kept a jar of sweets on the top shelf and pretended not to know who was taking them. I was. Every Saturday for six years.',
  ],
  [
    'Blessing Sithole',
    'I am a headmaster now. The first word I ever read aloud was in her class, and it was "goat". She clapped as if it had been Shakespeare.',
  ],
  [
    'Ruth and Peter Mlambo, Leeds',
    'We could not come, but we were awake at eight that morning, and we sang.',
  ],
]

export const JOSIAH = {
  honoureeFullName: 'Josiah Chikomo',
  title: 'He could mend anything but a promise, so he never broke one.',
  dateOfBirth: '1939-09-21',
  dateOfDeath: '2025-11-30',
  lifeStory: `<p>Josiah made doors. Walk through Rusape and you will go through forty of them.</p>
<p>He learned at the mission from a carpenter who measured everything twice and said everything once, and he did the same.</p>`,
}

export const JOSIAH_MESSAGES: [name: string, body: string][] = [
  ['Nyasha Chikomo', 'Sekuru, the door you made for our house still closes without a sound.'],
  ['Tapiwa', 'He let me hold the lamp. I thought I was helping.'],
]

export const DRAFT = { honoureeFullName: 'Grace Ndlovu', title: 'She never let anybody eat alone.' }
