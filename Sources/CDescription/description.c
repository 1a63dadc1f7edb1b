#include "CDescription.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const uint8_t *client_swift(void) {
  static const uint8_t text[] = {
#embed "Assets/Client.swift" suffix(, 0)
  };
  return text;
}
