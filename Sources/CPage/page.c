#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t browser_js[] = {
#embed "Assets/browser.js"
};
static const uint8_t cells_js[] = {
#embed "Assets/cells.js"
};
static const uint8_t code_js[] = {
#embed "Assets/code.js"
};
static const uint8_t collection_js[] = {
#embed "Assets/collection.js"
};
static const uint8_t columns_js[] = {
#embed "Assets/columns.js"
};
static const uint8_t conflict_js[] = {
#embed "Assets/conflict.js"
};
static const uint8_t csv_js[] = {
#embed "Assets/csv.js"
};
static const uint8_t data_js[] = {
#embed "Assets/data.js"
};
static const uint8_t deletion_js[] = {
#embed "Assets/deletion.js"
};
static const uint8_t docs_css[] = {
#embed "Assets/docs.css"
};
static const uint8_t docs_html[] = {
#embed "Assets/docs.html"
};
static const uint8_t docs_js[] = {
#embed "Assets/docs.js"
};
static const uint8_t dom_js[] = {
#embed "Assets/dom.js"
};
static const uint8_t editor_js[] = {
#embed "Assets/editor.js"
};
static const uint8_t events_js[] = {
#embed "Assets/events.js"
};
static const uint8_t filters_js[] = {
#embed "Assets/filters.js"
};
static const uint8_t form_js[] = {
#embed "Assets/form.js"
};
static const uint8_t icon_svg[] = {
#embed "Assets/icon.svg"
};
static const uint8_t input_js[] = {
#embed "Assets/input.js"
};
static const uint8_t list_js[] = {
#embed "Assets/list.js"
};
static const uint8_t log_js[] = {
#embed "Assets/log.js"
};
static const uint8_t menu_js[] = {
#embed "Assets/menu.js"
};
static const uint8_t messages_js[] = {
#embed "Assets/messages.js"
};
static const uint8_t page_css[] = {
#embed "Assets/page.css"
};
static const uint8_t page_html[] = {
#embed "Assets/page.html"
};
static const uint8_t page_js[] = {
#embed "Assets/page.js"
};
static const uint8_t palette_js[] = {
#embed "Assets/palette.js"
};
static const uint8_t record_js[] = {
#embed "Assets/record.js"
};
static const uint8_t records_css[] = {
#embed "Assets/records.css"
};
static const uint8_t records_js[] = {
#embed "Assets/records.js"
};
static const uint8_t request_js[] = {
#embed "Assets/request.js"
};
static const uint8_t rules_js[] = {
#embed "Assets/rules.js"
};
static const uint8_t selection_js[] = {
#embed "Assets/selection.js"
};
static const uint8_t server_js[] = {
#embed "Assets/server.js"
};
static const uint8_t states_js[] = {
#embed "Assets/states.js"
};
static const uint8_t table_js[] = {
#embed "Assets/table.js"
};
static const uint8_t timing_js[] = {
#embed "Assets/timing.js"
};
static const uint8_t transfer_js[] = {
#embed "Assets/transfer.js"
};
static const uint8_t values_js[] = {
#embed "Assets/values.js"
};

#define ASSET(name, bytes) {name, bytes, sizeof bytes}

static const struct page_asset assets[] = {
  ASSET("browser.js", browser_js),
  ASSET("cells.js", cells_js),
  ASSET("code.js", code_js),
  ASSET("collection.js", collection_js),
  ASSET("columns.js", columns_js),
  ASSET("conflict.js", conflict_js),
  ASSET("csv.js", csv_js),
  ASSET("data.js", data_js),
  ASSET("deletion.js", deletion_js),
  ASSET("docs.css", docs_css),
  ASSET("docs.html", docs_html),
  ASSET("docs.js", docs_js),
  ASSET("dom.js", dom_js),
  ASSET("editor.js", editor_js),
  ASSET("events.js", events_js),
  ASSET("filters.js", filters_js),
  ASSET("form.js", form_js),
  ASSET("icon.svg", icon_svg),
  ASSET("input.js", input_js),
  ASSET("list.js", list_js),
  ASSET("log.js", log_js),
  ASSET("menu.js", menu_js),
  ASSET("messages.js", messages_js),
  ASSET("page.css", page_css),
  ASSET("page.html", page_html),
  ASSET("page.js", page_js),
  ASSET("palette.js", palette_js),
  ASSET("record.js", record_js),
  ASSET("records.css", records_css),
  ASSET("records.js", records_js),
  ASSET("request.js", request_js),
  ASSET("rules.js", rules_js),
  ASSET("selection.js", selection_js),
  ASSET("server.js", server_js),
  ASSET("states.js", states_js),
  ASSET("table.js", table_js),
  ASSET("timing.js", timing_js),
  ASSET("transfer.js", transfer_js),
  ASSET("values.js", values_js),
};

struct page_asset page_asset_at(size_t place) {
  static const struct page_asset none = {NULL, NULL, 0};
  return place < sizeof assets / sizeof assets[0] ? assets[place] : none;
}
