/// How json-server 1.0 makes singulars and plurals: by whole words, then by the first ending that matches, in lowercase.
///
/// Its library knows fewer exceptions than 0.17's, and so some results are no words: `shoes` gives `sho`.
struct InflectionRules: Sendable {
  private let words: [String: String]
  private let endings: [(ending: String, replacement: String)]

  /// Applies the rules to a word.
  func applied(to word: String) -> String {
    if Self.uncountables.contains(word) { return word }
    if let known = words[word] { return known }
    guard let rule = endings.first(where: { word.hasSuffix($0.ending) }) else { return word }
    return word.dropLast(rule.ending.count) + rule.replacement
  }

  /// Words without a plural that an ending would change, and others that name resources.
  private static let uncountables: Set<String> = [
    "athletics", "chaos", "crossroads", "economics", "equipment", "ethics", "food", "furniture", "gallows", "genetics",
    "gymnastics", "hardware", "homework", "information", "knowledge", "linguistics", "luggage", "mathematics",
    "measles",
    "minus", "money", "mumps", "music", "news", "pasta", "physics", "research", "rice", "series", "sheep", "software",
    "species", "tennis", "traffic", "weather",
  ]

  /// Words of which the whole counts.
  private static let irregulars: [(singular: String, plural: String)] = [
    ("man", "men"), ("woman", "women"), ("foot", "feet"), ("tooth", "teeth"), ("goose", "geese"), ("ox", "oxen"),
    ("criterion", "criteria"), ("genus", "genera"), ("summons", "summonses"), ("bonus", "bonuses"),
    ("whereas", "whereases"), ("axis", "axes"),
  ]

  private static func kept(_ endings: [String]) -> [(ending: String, replacement: String)] { endings.map { ($0, $0) } }

  static let singular = InflectionRules(
    words: Dictionary(
      uniqueKeysWithValues: irregulars.map { ($1, $0) } + irregulars.map { ($0.singular, $0.singular) }),
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
    words: Dictionary(uniqueKeysWithValues: irregulars.map { ($0, $1) } + irregulars.map { ($0.plural, $0.plural) }),
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
