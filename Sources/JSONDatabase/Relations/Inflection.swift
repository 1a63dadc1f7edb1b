/// The singular and the plural of English nouns, for the names of resources and foreign keys.
///
/// In a compound such as `blogPosts`, `order_items` or `Order-Items` only the last word changes; letter case is kept.
/// Common words are inflected as by 0.17's `pluralize`, except some that it gets wrong: `databases`, `caches`,
/// `excuses`, `schemas`, `viruses`. In 1.0's dialect all words are inflected as by its `inflection`, right or wrong.
package enum Inflection {
  /// Returns the singular of a name; a singular is returned as it is.
  package static func singular(of name: String, _ dialect: Dialect) -> String {
    switch dialect {
    case .classic: inflect(name, by: InflectionTable.singular)
    case .v1: inflect(name, by: InflectionRules.singular)
    }
  }

  /// Returns the plural of a name; a plural is returned as it is.
  package static func plural(of name: String, _ dialect: Dialect) -> String {
    switch dialect {
    case .classic: inflect(name, by: InflectionTable.plural)
    case .v1: inflect(name, by: InflectionRules.plural)
    }
  }

  /// Changes the last word of a name, and restores its letter case.
  private static func inflect(_ name: String, by rules: InflectionRules) -> String {
    let word = name[startOfLastWord(in: name)...]
    guard !word.isEmpty else { return name }
    let changed = rules.applied(to: word.lowercased())
    let kept = zip(word, changed).prefix { $0.lowercased() == String($1) }.count
    let ending = changed.dropFirst(kept)
    let isUppercase = word.count > 1 && word.allSatisfy(\.isUppercase)
    return name[..<word.startIndex] + word.prefix(kept) + (isUppercase ? ending.uppercased() : String(ending))
  }

  /// A word starts at a capital after a character that is not one, and at a letter after a character that is not one.
  private static func startOfLastWord(in name: String) -> String.Index {
    var start = name.startIndex
    var previous: Character?
    for index in name.indices {
      let character = name[index]
      if let previous, character.isUppercase && !previous.isUppercase || character.isLetter && !previous.isLetter {
        start = index
      }
      previous = character
    }
    return start
  }
}

/// The singulars and plurals of json-server 0.17, apart from its mistakes.
private enum InflectionTable {
  static let singular = InflectionRules(
    (words + olderPlurals).map { ($1, $0) } + words.map { ($0.singular, $0.singular) },
    endings: endings.flatMap { [($0.plural, $0.singular), ($0.singular, $0.singular)] } + singularRules)

  static let plural = InflectionRules(
    words + (words + olderPlurals).map { ($0.plural, $0.plural) },
    endings: endings.flatMap { [($0.plural, $0.plural), ($0.singular, $0.plural)] } + pluralRules)

  /// The words that no ending covers.
  private static let words = irregulars + (uncountables + invariants).map { ($0, $0) }

  /// Singular and plural endings of words and their compounds, such as `salesperson`.
  private static let endings: [(singular: String, plural: String)] = [
    ("person", "people"), ("child", "children"), ("man", "men"), ("mouse", "mice"), ("foot", "feet"),
    ("tooth", "teeth"), ("leaf", "leaves"), ("loaf", "loaves"), ("thief", "thieves"), ("knife", "knives"),
    ("wife", "wives"), ("wolf", "wolves"), ("elf", "elves"), ("hero", "heroes"), ("potato", "potatoes"),
    ("tomato", "tomatoes"), ("lysis", "lyses"), ("thesis", "theses"), ("crisis", "crises"), ("gnosis", "gnoses"),
    ("synopsis", "synopses"), ("emphasis", "emphases"), ("index", "indices"), ("vertex", "vertices"),
    ("matrix", "matrices"), ("appendix", "appendices"), ("datum", "data"), ("criterion", "criteria"),
    ("phenomenon", "phenomena"), ("bacterium", "bacteria"), ("curriculum", "curricula"), ("fish", "fish"),
    ("deer", "deer"), ("sheep", "sheep"),
  ]

  /// The endings of plurals, with those of their singulars; the first match counts.
  private static let singularRules: [(ending: String, replacement: String)] = [
    ("ss", "ss"), ("sis", "sis"), ("us", "us"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"),
    ("zzes", "zz"), ("auses", "ause"), ("ouses", "ouse"), ("uses", "us"), ("ies", "y"), ("s", ""),
  ]

  /// The endings of singulars, with those of their plurals, after those of plurals; the first match counts.
  private static let pluralRules: [(ending: String, replacement: String)] = [
    ("ss", "sses"), ("sis", "ses"), ("us", "uses"), ("s", "s"), ("x", "xes"), ("ch", "ches"), ("sh", "shes"),
    ("zz", "zzes"), ("quy", "quies"),
    ("ay", "ays"), ("ey", "eys"), ("iy", "iys"), ("oy", "oys"), ("uy", "uys"), ("y", "ies"), ("", "s"),
  ]

  private static let irregulars: [(singular: String, plural: String)] = [
    ("ox", "oxen"), ("goose", "geese"), ("quiz", "quizzes"), ("life", "lives"), ("half", "halves"),
    ("calf", "calves"), ("scarf", "scarves"), ("hoof", "hooves"), ("echo", "echoes"), ("volcano", "volcanoes"),
    ("tornado", "tornadoes"), ("torpedo", "torpedoes"), ("base", "bases"), ("basis", "bases"), ("oasis", "oases"),
    ("axe", "axes"), ("axis", "axes"), ("octopus", "octopi"), ("cactus", "cacti"), ("radius", "radii"),
    ("nucleus", "nuclei"), ("fungus", "fungi"), ("stimulus", "stimuli"), ("alumnus", "alumni"),
    ("syllabus", "syllabi"), ("terminus", "termini"), ("genus", "genera"), ("genesis", "geneses"), ("louse", "lice"),
    ("addendum", "addenda"), ("erratum", "errata"), ("stratum", "strata"), ("ovum", "ova"), ("stigma", "stigmata"),
    ("alga", "algae"), ("vertebra", "vertebrae"), ("dwarf", "dwarves"), ("wharf", "wharves"), ("sheaf", "sheaves"),
    ("afterlife", "afterlives"), ("money", "monies"), ("smiley", "smilies"),
    // Words that look like a plural but are not.
    ("alias", "aliases"), ("atlas", "atlases"), ("bias", "biases"), ("bus", "buses"), ("canvas", "canvases"),
    ("gas", "gases"), ("iris", "irises"), ("lens", "lenses"), ("yes", "yeses"),
    // Words that look as if they had another ending.
    ("human", "humans"), ("german", "germans"), ("roman", "romans"), ("shaman", "shamans"),
    ("specimen", "specimens"), ("regimen", "regimens"), ("omen", "omens"),
    ("menu", "menus"), ("bureau", "bureaus"), ("plateau", "plateaus"),
    ("cpu", "cpus"), ("gpu", "gpus"), ("guru", "gurus"), ("emu", "emus"),
    ("use", "uses"), ("excuse", "excuses"), ("fuse", "fuses"), ("muse", "muses"), ("abuse", "abuses"),
    ("cache", "caches"), ("ache", "aches"), ("headache", "headaches"), ("niche", "niches"),
    ("avalanche", "avalanches"), ("movie", "movies"), ("cookie", "cookies"), ("zombie", "zombies"),
    ("calorie", "calories"), ("selfie", "selfies"), ("genie", "genies"), ("rookie", "rookies"),
    ("brownie", "brownies"), ("hoodie", "hoodies"), ("smoothie", "smoothies"), ("freebie", "freebies"),
    ("newbie", "newbies"), ("junkie", "junkies"), ("goalie", "goalies"), ("hippie", "hippies"), ("pixie", "pixies"),
    ("pie", "pies"), ("tie", "ties"), ("lie", "lies"), ("die", "dies"),
  ]

  /// Plurals that are understood but not made.
  private static let olderPlurals: [(singular: String, plural: String)] = [
    ("schema", "schemata"), ("virus", "viri"), ("focus", "foci"), ("die", "dice"),
  ]

  /// Words without a plural.
  private static let uncountables = [
    "advice", "aid", "agenda", "anime", "athletics", "audio", "buffalo", "cash", "chess", "clothing", "corps",
    "diabetes",
    "energy", "equipment", "expertise", "gallows", "herpes", "kudos", "mews", "pliers", "premises", "shambles",
    "firmware", "hardware", "health", "homework", "information", "justice", "machinery", "mail", "manga", "media",
    "music", "police", "rain", "research", "rice", "software", "staff", "traffic", "transportation", "wealth",
    "wildlife",
  ]

  /// Words whose plural looks the same.
  private static let invariants = [
    "bison", "chassis", "debris", "headquarters", "jeans", "moose", "news", "salmon", "scissors", "series", "shrimp",
    "species", "tennis", "trout", "tuna",
  ]
}

/// Rules that change a word in lowercase: by whole words, then by the first ending that matches.
private struct InflectionRules: Sendable {
  private let words: [String: String]
  private let endings: [(ending: String, replacement: String)]

  /// - Parameter words: The first result of a word counts.
  init(_ words: [(String, String)], endings: [(ending: String, replacement: String)]) {
    self.words = Dictionary(words, uniquingKeysWith: { first, _ in first })
    self.endings = endings
  }

  /// Applies the rules to a word.
  func applied(to word: String) -> String {
    if let known = words[word] { return known }
    guard let rule = endings.first(where: { word.hasSuffix($0.ending) }) else { return word }
    return word.dropLast(rule.ending.count) + rule.replacement
  }
}

/// The singulars and plurals of json-server 1.0.
///
/// Its library knows fewer exceptions than 0.17's, so some results are not words: `shoes` gives `sho`.
extension InflectionRules {
  /// Words without a plural that an ending would change, and others that name resources.
  private static let uncountables = [
    "athletics", "chaos", "crossroads", "economics", "equipment", "ethics", "food", "furniture", "gallows", "genetics",
    "gymnastics", "hardware", "homework", "information", "knowledge", "linguistics", "luggage", "mathematics",
    "measles",
    "minus", "money", "mumps", "music", "news", "pasta", "physics", "research", "rice", "series", "sheep", "software",
    "species", "tennis", "traffic", "weather",
  ]

  /// Irregular words, as whole words.
  private static let irregulars: [(singular: String, plural: String)] = [
    ("man", "men"), ("woman", "women"), ("foot", "feet"), ("tooth", "teeth"), ("goose", "geese"), ("ox", "oxen"),
    ("criterion", "criteria"), ("genus", "genera"), ("summons", "summonses"), ("bonus", "bonuses"),
    ("whereas", "whereases"), ("axis", "axes"),
  ]

  private static func kept(_ endings: [String]) -> [(ending: String, replacement: String)] { endings.map { ($0, $0) } }

  static let singular = InflectionRules(
    kept(uncountables) + irregulars.map { ($1, $0) } + irregulars.map { ($0.singular, $0.singular) },
    endings: kept([
      "axis", "testis", "octopus", "virus", "alias", "status", "canvas", "campus", "bus", "tum", "ium", "sis", "ss",
    ]) + [
      ("people", "person"), ("children", "child"), ("databases", "database"), ("drives", "drive"), ("ta", "tum"),
      ("ia", "ium"), ("analyses", "analysis"), ("bases", "basis"), ("diagnoses", "diagnosis"),
      ("parentheses", "parenthesis"), ("prognoses", "prognosis"), ("synopses", "synopsis"), ("theses", "thesis"),
      ("hives", "hive"), ("tives", "tive"), ("curves", "curve"), ("lves", "lf"), ("rves", "rf"), ("aves", "ave"),
      ("oves", "ove"), ("fves", "fve"), ("ves", "fe"), ("movies", "movie"), ("quies", "quy"), ("aies", "aie"),
      ("eies", "eie"), ("oies", "oie"), ("uies", "uie"), ("yies", "yie"), ("ies", "y"), ("xes", "x"), ("ches", "ch"),
      ("sses", "ss"), ("shes", "sh"), ("mice", "mouse"), ("lice", "louse"), ("buses", "bus"), ("oes", "o"),
      ("crises", "crisis"), ("testes", "testis"), ("octopuses", "octopus"), ("viruses", "virus"), ("aliases", "alias"),
      ("canvases", "canvas"), ("statuses", "status"), ("campuses", "campus"), ("matrices", "matrix"),
      ("vertices", "vertex"), ("indices", "index"), ("quizzes", "quiz"), ("s", ""),
    ])

  static let plural = InflectionRules(
    kept(uncountables) + irregulars.map { ($0, $1) } + irregulars.map { ($0.plural, $0.plural) },
    endings: kept(["people", "children", "ta", "ia", "mice", "lice"]) + [
      ("person", "people"), ("child", "children"), ("drive", "drives"), ("axis", "axes"), ("testis", "testes"),
      ("octopus", "octopuses"), ("virus", "viruses"), ("alias", "aliases"), ("status", "statuses"),
      ("canvas", "canvases"), ("campus", "campuses"), ("bus", "buses"), ("buffalo", "buffaloes"),
      ("tomato", "tomatoes"),
      ("potato", "potatoes"), ("tum", "ta"), ("ium", "ia"), ("sis", "ses"), ("ffe", "ffes"), ("fe", "ves"),
      ("lf", "lves"),
      ("rf", "rves"), ("quy", "quies"), ("ay", "ays"), ("ey", "eys"), ("iy", "iys"), ("oy", "oys"), ("uy", "uys"),
      ("yy", "yys"), ("y", "ies"), ("matrix", "matrices"), ("vertex", "vertices"), ("index", "indices"), ("x", "xes"),
      ("ch", "ches"), ("ss", "sses"), ("sh", "shes"), ("mouse", "mice"), ("louse", "lice"), ("quiz", "quizzes"),
      ("s", "s"),
      ("", "s"),
    ])
}
