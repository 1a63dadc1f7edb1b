#ifndef CDESCRIPTION_H
#define CDESCRIPTION_H

#include <stdint.h>

// The texts of which generated documents are made, compiled into the program as the pages are; see CPage.h.

/// `Assets/Client.swift`, with a zero at its end.
const uint8_t *client_swift(void);

#endif
