#ifndef CSTORAGE_H
#define CSTORAGE_H

/// The system calls that Swift's C overlays lack.

#endif
