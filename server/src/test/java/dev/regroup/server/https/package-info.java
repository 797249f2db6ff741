@NullMarked
package dev.regroup.server.https;

import org.jspecify.annotations.NullMarked;
