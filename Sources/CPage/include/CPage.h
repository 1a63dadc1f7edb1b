#ifndef CPAGE_H
#define CPAGE_H

#include <stddef.h>
#include <stdint.h>

// The files of the server's own pages, which are compiled into the program, so that it stays one file.
//
// C, because a compiler of C takes a file's bytes as they are (`#embed`, C23 6.10.4; Clang 19, which Swift 6.1 and
// Xcode 16.3 bring). As a literal of Swift they took a tenth of the time of a first build.

/// A file of the pages.
struct page_asset {
  /// The file's name, such as `page.css`.
  const char *name;
  const uint8_t *bytes;
  size_t count;
};

/// The file at a place; one without a name when there is none.
struct page_asset page_asset_at(size_t place);

#endif
