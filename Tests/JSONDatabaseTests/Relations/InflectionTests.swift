import JSONDatabase
import Testing

struct InflectionTests {
  static let words: [(singular: String, plural: String)] = [
    // Regular
    ("post", "posts"), ("comment", "comments"), ("user", "users"), ("page", "pages"), ("image", "images"),
    ("like", "likes"), ("employee", "employees"), ("title", "titles"), ("department", "departments"),
    ("todo", "todos"), ("album", "albums"), ("video", "videos"), ("bookmark", "bookmarks"), ("section", "sections"),
    ("photo", "photos"), ("shoe", "shoes"), ("house", "houses"), ("course", "courses"), ("database", "databases"),
    ("cause", "causes"), ("purchase", "purchases"), ("license", "licenses"), ("size", "sizes"), ("api", "apis"),
    ("schema", "schemas"), ("archive", "archives"), ("move", "moves"), ("olive", "olives"), ("valve", "valves"),
    ("id", "ids"), ("area", "areas"), ("tree", "trees"),
    // -y and -ie
    ("category", "categories"), ("company", "companies"), ("salary", "salaries"), ("query", "queries"),
    ("day", "days"), ("key", "keys"), ("toy", "toys"), ("guy", "guys"), ("soliloquy", "soliloquies"),
    ("party", "parties"), ("movie", "movies"), ("cookie", "cookies"), ("tie", "ties"),
    // A hiss
    ("box", "boxes"), ("bus", "buses"), ("status", "statuses"), ("virus", "viruses"), ("address", "addresses"),
    ("class", "classes"), ("branch", "branches"), ("dish", "dishes"), ("buzz", "buzzes"), ("alias", "aliases"),
    ("lens", "lenses"), ("gas", "gases"), ("quiz", "quizzes"), ("cache", "caches"), ("excuse", "excuses"),
    ("menu", "menus"), ("cpu", "cpus"),
    // -o and -f
    ("hero", "heroes"), ("superhero", "superheroes"), ("potato", "potatoes"), ("echo", "echoes"),
    ("leaf", "leaves"), ("knife", "knives"), ("wife", "wives"), ("wolf", "wolves"), ("shelf", "shelves"),
    ("bookshelf", "bookshelves"), ("life", "lives"), ("proof", "proofs"),
    // Old and foreign
    ("person", "people"), ("salesperson", "salespeople"), ("child", "children"), ("man", "men"),
    ("woman", "women"), ("human", "humans"), ("mouse", "mice"), ("goose", "geese"), ("foot", "feet"),
    ("tooth", "teeth"), ("ox", "oxen"), ("datum", "data"), ("index", "indices"), ("matrix", "matrices"),
    ("analysis", "analyses"), ("crisis", "crises"), ("diagnosis", "diagnoses"), ("base", "bases"), ("axe", "axes"),
    ("criterion", "criteria"), ("phenomenon", "phenomena"), ("octopus", "octopi"), ("specimen", "specimens"),
    ("genus", "genera"), ("stratum", "strata"), ("vertebra", "vertebrae"), ("dwarf", "dwarves"), ("bureau", "bureaus"),
    ("newbie", "newbies"), ("afterlife", "afterlives"),
    // One form
    ("media", "media"), ("news", "news"), ("series", "series"), ("species", "species"), ("sheep", "sheep"),
    ("fish", "fish"), ("deer", "deer"), ("equipment", "equipment"), ("information", "information"),
    // Compounds and case
    ("blogPost", "blogPosts"), ("orderItem", "orderItems"), ("order_item", "order_items"), ("BlogPost", "BlogPosts"),
    ("officeMouse", "officeMice"), ("Person", "People"), ("USER", "USERS"), ("userID", "userIDS"),
    ("parentCategory", "parentCategories"), ("café", "cafés"), ("part2", "part2s"), ("", ""),
  ]

  @Test(arguments: words)
  func `A singular and its plural give each other and themselves`(singular: String, plural: String) {
    #expect(Inflection.plural(of: singular, .classic) == plural)
    #expect(Inflection.singular(of: plural, .classic) == singular)
    #expect(Inflection.plural(of: plural, .classic) == plural)
    #expect(Inflection.singular(of: singular, .classic) == singular)
  }

  @Test(arguments: [
    ("indexes", "index"), ("octopuses", "octopus"), ("schemata", "schema"), ("viri", "virus"), ("axis", "axis"),
    ("userIDs", "userID"), ("agendas", "agenda"),
  ])
  func `Another plural is understood`(plural: String, singular: String) {
    #expect(Inflection.singular(of: plural, .classic) == singular)
  }

  @Test(arguments: [("axis", "axes"), ("basis", "bases"), ("indexes", "indexes"), ("octopuses", "octopuses")])
  func `A plural that several words share is formed`(singular: String, plural: String) {
    #expect(Inflection.plural(of: singular, .classic) == plural)
    #expect(Inflection.plural(of: plural, .classic) == plural)
  }

  static let differing: [(word: String, classic: String, v1: String)] = [
    ("media", "media", "medium"), ("axes", "axe", "axis"), ("stadia", "stadia", "stadium"), ("shoes", "shoe", "sho"),
    ("buffaloes", "buffaloe", "buffalo"), ("monies", "money", "mony"), ("gallows", "gallows", "gallows"),
    ("corps", "corps", "corp"), ("passersby", "passersby", "passersby"), ("leaves", "leaf", "leave"),
    ("posts", "post", "post"), ("categories", "category", "category"), ("people", "person", "person"),
    ("blogMedia", "blogMedia", "blogMedium"), ("news", "news", "news"), ("indices", "index", "index"),
  ]

  @Test(arguments: differing)
  func `Each json-server's singular is made under its dialect`(_ test: (word: String, classic: String, v1: String)) {
    #expect(Inflection.singular(of: test.word, .classic) == test.classic)
    #expect(Inflection.singular(of: test.word, .v1) == test.v1)
  }

  @Test(arguments: [
    ("hero", "heroes", "heros"), ("leaf", "leaves", "leafs"), ("medium", "mediums", "media"), ("bus", "buses", "buses"),
  ])
  func `Each json-server's plural is made under its dialect`(_ word: String, _ classic: String, _ v1: String) {
    #expect(Inflection.plural(of: word, .classic) == classic)
    #expect(Inflection.plural(of: word, .v1) == v1)
  }
}
